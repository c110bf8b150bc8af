import type { Static } from 'typebox'
import { CommitDetail } from '#code/commits/entity.ts'
import { Bridge, Job } from '#code/jobs/entity.ts'
import { Pipeline } from '#code/pipelines/entity.ts'
import { TestReportSummary } from '#ci/test-reports/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { otherPages } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import type { Forms } from '../frame/forms.ts'
import { type Rights, rightsIn } from '../frame/rights.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import type { View } from '../frame/show.ts'
import { facts } from '../items/facts.ts'
import { ciStatus, durationInWords, inWords } from '../parts/words.ts'
import { graph } from './graph.ts'
import { referenceLink } from './pipeline-list.ts'

const MANY = { per_page: 100, with_needs: true }

/** A pipeline: its jobs by stage, the pipelines that it started, and what its tests said. */
export async function pipelinePage(
  api: Api,
  forms: Forms,
  project: EitherProject,
  { id, page }: { readonly id: number; readonly page: number },
): Promise<View> {
  const address = path`/projects/${project.id}/pipelines/${id}`
  const [pipeline, jobs, bridges, rights] = await Promise.all([
    api.get(Pipeline, address, { with_permissions: api.isForSomebody || undefined }),
    api.list(Job, `${address}/jobs`, { ...MANY, page, include_retried: true }),
    api.list(Bridge, `${address}/bridges`, MANY),
    rightsIn(api, path`/projects/${project.id}`),
  ])
  const mayHaveTests =
    jobs.next !== undefined ||
    page > 1 ||
    jobs.items.some(({ artifacts }) => artifacts.some(({ file_type }) => file_type === 'junit'))
  const [commit, tests] = await Promise.all([
    api.besides.find(CommitDetail, path`/projects/${project.id}/repository/commits/${pipeline.sha}`),
    mayHaveTests ? api.find(TestReportSummary, `${address}/test_report_summary`) : undefined,
  ])
  const here = pageOf(project, `pipelines/${id}`)
  const { name, yaml_errors, user, duration, queued_duration, coverage } = pipeline
  const body = html`<h1>${name ?? commit?.title ?? 'Pipeline'} <span class="quiet">#${id}</span></h1>
    <p class="quiet">
      ${ciStatus(pipeline.status, pipeline.detailed_status.group === 'success-with-warnings')}
      ${user !== null && html`by ${person(user)}`} · ${since(pipeline.created_at)}
    </p>
    ${runForms(forms, pipeline, rights)}
    ${facts([
      [pipeline.tag ? 'Tag' : 'For', referenceLink(project, pipeline.ref)],
      ['Commit', commitLink(project, pipeline, name === null ? undefined : commit)],
      ['Source', html`${inWords(pipeline.source)}`],
      ['Took', duration === null ? undefined : html`${durationInWords(duration)}`],
      ['Waited', queued_duration === null ? undefined : html`${durationInWords(queued_duration)}`],
      ['Coverage', coverage === null ? undefined : html`${coverage} %`],
    ])}
    ${
      yaml_errors !== null &&
      html`<section class="alert" aria-label="Why it failed">
        <strong>The configuration is wrong</strong>
        <pre class="message" tabindex="0">${yaml_errors}</pre>
      </section>`
    }
    ${yaml_errors === null && graph(project, jobs.items, bridges.items)} ${otherPages(jobs, page, here, {})}
    ${tests && testSummary(here, tests)}`
  return {
    title: `Pipeline #${id} · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Pipelines'),
    body,
  }
}

/** States in which a pipeline has jobs that may be canceled, and in which some may be run again. */
const RUNS: ReadonlySet<string> = new Set([
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'scheduled',
])
const FAILED: ReadonlySet<string> = new Set(['failed', 'canceled'])

function runForms(
  forms: Forms,
  { status, user_permissions }: Static<typeof Pipeline>,
  rights: Rights,
): Html | undefined {
  const about = 'the pipeline'
  const mayUpdate = user_permissions?.update === true
  if (!mayUpdate && !rights.may('delete_pipeline')) return undefined
  return html`<div class="actions">
    ${mayUpdate && FAILED.has(status) && forms.write({ does: 'retry', submit: 'Retry', about, looks: 'secondary' })}
    ${mayUpdate && RUNS.has(status) && forms.write({ does: 'cancel', submit: 'Cancel', about, looks: 'secondary' })}
    ${
      rights.may('delete_pipeline') &&
      forms.write({
        does: 'delete',
        submit: 'Delete',
        about,
        asks: 'Its jobs, their logs and files go for good.',
      })
    }
  </div>`
}

const commitLink = (
  project: EitherProject,
  { sha }: Static<typeof Pipeline>,
  commit: Static<typeof CommitDetail> | undefined,
): Html =>
  html`<a href="${pageOf(project, `commit/${sha}`)}"><code>${sha.slice(0, 8)}</code></a> ${commit?.title}`

function testSummary(
  here: string,
  { total, test_suites }: Static<typeof TestReportSummary>,
): Html | undefined {
  if (test_suites.length === 0) return undefined
  return html`<section aria-labelledby="tests">
    <h2 id="tests">Tests</h2>
    <p>${testCounts({ ...total, time: total.time })} · <a href="${here}/test_report">All tests</a></p>
  </section>`
}

interface Counts {
  readonly count: number
  readonly success: number
  readonly failed: number
  readonly error: number
  readonly skipped: number
  readonly time: number
}

/** `12 tests, 2 failed, 1 skipped, in 3 s` */
export const testCounts = ({ count, success, failed, error, skipped, time }: Counts): Html =>
  html`${count} tests: ${success}
  passed${failed > 0 && html`, <strong>${failed} failed</strong>`}${error > 0 && html`, <strong>${error} broke</strong>`}${skipped > 0 && `, ${skipped} skipped`},
  in ${durationInWords(time)}`
