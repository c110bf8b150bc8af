import type { Static } from 'typebox'
import type { Bridge, Job } from '#code/jobs/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { emptyList, pathIn } from '../frame/lists.ts'
import { pageOf } from '../frame/project.ts'
import { ciStatus, durationInWords } from '../parts/words.ts'

type ShownJob = Static<typeof Job>
type ShownBridge = Static<typeof Bridge>

/** A job, or one that starts another pipeline, with how often it ran. */
interface Node {
  readonly job: ShownJob | ShownBridge
  readonly runs: number
}

/** The jobs of a pipeline by their stages, as far as a page has them. */
export function graph(
  project: EitherProject,
  jobs: readonly ShownJob[],
  bridges: readonly ShownBridge[],
): Html {
  const stages = stagesOf([...jobs, ...bridges])
  if (stages.size === 0) return emptyList('There is no job.')
  return html`<ol class="stages" aria-label="Stages">
    ${[...stages].map(
      ([stage, nodes]) =>
        html`<li class="stage">
          <h2>${stage}</h2>
          <ul>
            ${nodes.map((node) => html`<li>${shownNode(project, node)}</li>`)}
          </ul>
        </li>`,
    )}
  </ol>`
}

/** Stages in the order in which their first jobs were made. Of jobs that ran again, the last run is shown. */
function stagesOf(all: readonly (ShownJob | ShownBridge)[]): ReadonlyMap<string, readonly Node[]> {
  const stages = new Map<string, Map<string, Node>>()
  for (const job of all.toSorted((one, other) => one.id - other.id)) {
    const stage = stages.get(job.stage) ?? new Map<string, Node>()
    stages.set(job.stage, stage)
    stage.set(job.name, { job, runs: (stage.get(job.name)?.runs ?? 0) + 1 })
  }
  return new Map([...stages].map(([name, nodes]) => [name, [...nodes.values()]]))
}

/** Names of jobs that are told of each. */
const MOST_NEEDS = 5

function waitsFor(needs: readonly string[]): Html {
  if (needs.length === 0) return html`<p class="quiet">waits for no other job</p>`
  const more = needs.length - MOST_NEEDS
  return html`<p class="quiet">
    after ${needs.slice(0, MOST_NEEDS).join(', ')}${more > 0 && ` and ${more} more`}
  </p>`
}

function shownNode(project: EitherProject, { job, runs }: Node): Html {
  const { id, name, status, allow_failure, duration } = job
  const warns = status === 'failed' && allow_failure
  const downstream = 'downstream_pipeline' in job ? job.downstream_pipeline : undefined
  return html`${ciStatus(status, warns)}
    ${
      downstream === undefined
        ? html`<a href="${pageOf(project, `jobs/${id}`)}">${name}</a>`
        : html`<span class="name">${name}</span>`
    }
    <span class="quiet">
      ${duration !== null && durationInWords(duration)} ${runs > 1 && `· run ${runs}`}
      ${warns && '· may fail'}
    </span>
    ${job.needs && waitsFor(job.needs)}
    ${
      downstream !== undefined &&
      downstream !== null &&
      html`<p>
        →
        <a href="${pathIn(downstream.web_url)}">Pipeline #${downstream.id}</a> ${ciStatus(downstream.status)}
      </p>`
    }`
}
