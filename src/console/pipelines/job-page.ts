import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { Job } from '#code/jobs/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { API } from '#platform/http/routing.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, type List, path } from '../frame/api.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import type { Forms } from '../frame/forms.ts'
import { type Rights, rightsIn } from '../frame/rights.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import type { View } from '../frame/show.ts'
import { islands } from '../islands/scripts.ts'
import { facts } from '../items/facts.ts'
import { ciStatus, durationInWords, inWords, sizeInWords } from '../parts/words.ts'
import { browse } from './artifacts-page.ts'
import { failureInWords } from './failures.ts'
import { shownLog } from './log-text.ts'
import { type LogPart, readLog, tracePath } from './read-log.ts'
import { referenceLink } from './pipeline-list.ts'

type ShownJob = Static<typeof Job>

interface Asked {
  readonly id: number
  readonly before?: number
  readonly after?: number
}

const ended: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped', 'manual'])

/** Whoever looks at a job. */
interface Visitor {
  readonly page: FastifyRequest
  readonly api: Api
  readonly forms: Forms
}

/** A job with a part of its log. */
export async function jobPage(
  { page, api, forms }: Visitor,
  project: EitherProject,
  asked: Asked,
): Promise<View> {
  const [job, rights] = await Promise.all([
    api.get(Job, path`/projects/${project.id}/jobs/${asked.id}`, {
      with_permissions: api.isForSomebody || undefined,
    }),
    rightsIn(api, path`/projects/${project.id}`),
  ])
  const grows = !ended.has(job.status)
  const [log, runs] = await Promise.all([
    readLog(page, { id: job.id, project: project.id }, { ...asked, grows }),
    api.list(Job, path`/projects/${project.id}/pipelines/${job.pipeline.id}/jobs`, {
      include_retried: true,
      per_page: 100,
    }),
  ])
  const isLive = grows && asked.before === undefined && asked.after === undefined
  return {
    title: `${job.name} (#${job.id}) · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Jobs'),
    body: html`<h1>${job.name} <span class="quiet">#${job.id}</span></h1>
      <p class="quiet">
        ${ciStatus(job.status)} ${job.user !== null && html`started by ${person(job.user)}`} ·
        ${since(job.created_at)} ${otherRuns(project, job, runs)}
      </p>
      ${runForms(forms, job, rights)} ${whyFailed(job)} ${factsOf(project, job)} ${artifactsOf(project, job)}
      ${logSection(project, job, { log, isLive, rights })}`,
    ...(isLive && { scripts: [islands.liveLog], asks: true }),
  }
}

const RUNS: ReadonlySet<string> = new Set([
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'scheduled',
])
const WAITS_FOR_SOMEBODY: ReadonlySet<string> = new Set(['manual', 'scheduled'])

function runForms(
  forms: Forms,
  { status, erased_at, artifacts, user_permissions }: ShownJob,
  rights: Rights,
): Html | undefined {
  if (user_permissions?.update !== true) return undefined
  const about = 'the job'
  const isOver = ended.has(status) && status !== 'manual' && status !== 'skipped'
  const canErase = isOver && erased_at === null && rights.may('erase_job')
  return html`<div class="actions">
    ${WAITS_FOR_SOMEBODY.has(status) && forms.write({ does: 'play', submit: 'Run', about })}
    ${isOver && forms.write({ does: 'retry', submit: 'Retry', about, looks: 'secondary' })}
    ${RUNS.has(status) && forms.write({ does: 'cancel', submit: 'Cancel', about, looks: 'secondary' })}
    ${artifacts.length > 0 && isOver && forms.write({ does: 'keep', submit: 'Keep its files', looks: 'secondary' })}
    ${canErase && forms.write({ does: 'erase', submit: 'Erase', about, asks: 'Its log and its files go for good.' })}
  </div>`
}

const whyFailed = ({ status, failure_reason, allow_failure }: ShownJob): Html | false =>
  status === 'failed' &&
  html`<p class="alert">
    ${failure_reason === undefined ? 'It failed.' : failureInWords(failure_reason)}
    ${allow_failure && 'The pipeline goes on all the same.'}
  </p>`

function factsOf(project: EitherProject, job: ShownJob): Html | undefined {
  const { pipeline, commit, runner, duration, queued_duration, erased_at } = job
  return facts([
    ['Stage', html`${job.stage}`],
    ['Pipeline', html`<a href="${pageOf(project, `pipelines/${pipeline.id}`)}">#${pipeline.id}</a>`],
    ['For', referenceLink(project, job.ref)],
    [
      'Commit',
      html`<a href="${pageOf(project, `commit/${pipeline.sha}`)}"><code>${pipeline.sha.slice(0, 8)}</code></a>
        ${commit?.title}`,
    ],
    ['Took', duration === null ? undefined : html`${durationInWords(duration)}`],
    ['Waited', queued_duration === null ? undefined : html`${durationInWords(queued_duration)}`],
    ['Runner', runner === null ? undefined : html`#${runner.id} ${runner.description ?? undefined}`],
    [
      'Tags',
      job.tag_list.length === 0
        ? undefined
        : html`${job.tag_list.map((tag) => html`<span class="badge">${tag}</span> `)}`,
    ],
    ['Coverage', job.coverage === null ? undefined : html`${job.coverage} %`],
    ['Erased', erased_at === null ? undefined : since(erased_at)],
  ])
}

/** The same job in the same pipeline, which somebody ran again. */
function otherRuns(project: EitherProject, job: ShownJob, { items }: List<ShownJob>): Html | undefined {
  const others = items.filter(({ id, name }) => name === job.name && id !== job.id)
  if (others.length === 0) return undefined
  return html`· ${others.some(({ id }) => id > job.id) ? 'was run again' : 'other runs'}:
  ${others.map(
    ({ id, status }) => html`<a href="${pageOf(project, `jobs/${id}`)}">#${id}</a> ${ciStatus(status)} `,
  )}`
}

/** What it left behind. The log is shown below. */
function artifactsOf(project: EitherProject, job: ShownJob): Html | undefined {
  const { artifacts_file: archive, artifacts_expire_at: until } = job
  const others = job.artifacts.filter(({ file_type }) => file_type !== 'trace' && file_type !== 'archive')
  if (archive === undefined && others.length === 0) return undefined
  const download = `${API}${path`/projects/${project.id}/jobs/${job.id}/artifacts`}`
  return html`<section aria-labelledby="artifacts">
    <h2 id="artifacts">Artifacts</h2>
    <ul class="rows">
      ${
        archive !== undefined &&
        html`<li>
          <div>
            <a href="${download}" download>${archive.filename}</a> ·
            <a href="${browse(project, job.id)}">Browse</a>
          </div>
          <p class="quiet aside">
            ${sizeInWords(archive.size)} ${until !== null && html`· until ${since(until)}`}
          </p>
        </li>`
      }
      ${others.map(
        ({ file_type, filename, size }) =>
          html`<li>
            <div>${filename} <span class="badge">${inWords(file_type)}</span></div>
            <p class="quiet aside">${sizeInWords(size)}</p>
          </li>`,
      )}
    </ul>
  </section>`
}

interface ShownLog {
  readonly log: LogPart
  readonly isLive: boolean
  readonly rights: Rights
}

function logSection(project: EitherProject, job: ShownJob, { log, isLive, rights }: ShownLog): Html {
  const here = pageOf(project, `jobs/${job.id}`)
  const isPart = log.start > 0 || (log.end < log.size && !isLive)
  const before = log.start > 0 && html`<a href="${here}?before=${log.start}#log">← Earlier lines</a>`
  const after =
    log.end < log.size &&
    !isLive &&
    html`<a href="${here}?after=${log.end}#log">Later lines →</a> <a href="${here}#log">End</a>`
  const raw = html`<a href="${here}/raw">Raw</a>`
  const steps = html`<p class="log-steps quiet">
    ${before} ${isPart && `Bytes ${log.start} to ${log.end} of ${log.size}.`} ${after}
  </p>`
  return html`<section aria-labelledby="log">
    <h2 id="log">
      Log <span class="quiet">${log.size > 0 && html`${sizeInWords(log.size)} · ${raw}`}</span>
    </h2>
    ${isPart && steps} ${isLive ? live(project, job, log, rights) : written(job, log)}
    ${isPart && after !== false && steps}
  </section>`
}

const written = (job: ShownJob, { text }: LogPart): Html =>
  text === ''
    ? html`<p class="empty">${job.erased_at !== null ? 'The log was erased.' : 'It has written nothing.'}</p>`
    : html`<div class="log">${shownLog(text)}</div>`

/** Without a script, it says that there may be more. */
const live = (project: EitherProject, job: ShownJob, { text, end }: LogPart, rights: Rights): Html =>
  html`<noscript>
      <p class="quiet">
        It has not ended: <a href="${pageOf(project, `jobs/${job.id}`)}">load the page again</a> for more.
      </p>
    </noscript>
    <live-log
      class="log"
      data-at="${end}"
      data-status="${job.status}"
      data-trace="${tracePath(project.id, job.id)}"
      data-job="${API}${path`/projects/${project.id}/jobs/${job.id}`}"
      >${text !== '' && shownLog(text)}</live-log
    >
    <p class="quiet live-note">${job.status === 'running' ? 'It is running.' : 'It waits.'}</p>
    ${job.status === 'pending' && waitsForRunner(project, job, rights)}`

/** Nobody takes a job where no runner is: without a word, it would look as if it began soon. */
const waitsForRunner = (project: EitherProject, { tag_list: tags }: ShownJob, rights: Rights): Html =>
  html`<p class="quiet">
    A runner takes it${tags.length > 0 && ` that has its tags: ${tags.join(', ')}`}. If none comes, no such
    runner works for this project:
    ${
      rights.may('admin_project_runner')
        ? html`<a href="${pageOf(project, 'settings/ci_cd')}">look at its runners, or make one</a>.`
        : 'ask a maintainer.'
    }
  </p>`
