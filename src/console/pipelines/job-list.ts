import type { Static } from 'typebox'
import { Job } from '#code/jobs/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { addressOf, choices } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import type { View } from '../frame/show.ts'
import { rows } from '../parts/rows.ts'
import { ciStatus, durationInWords } from '../parts/words.ts'
import { referenceLink } from './pipeline-list.ts'

/** Which jobs to show, as the API names their statuses. */
export const scopes = {
  All: undefined,
  Pending: 'pending',
  Running: 'running',
  Finished: 'success,failed,canceled',
  Failed: 'failed',
  Manual: 'manual',
} as const

interface Asked {
  readonly scope?: string
  readonly page: number
}

/** The jobs of a project, the newest first. */
export async function jobList(api: Api, project: EitherProject, { scope, page }: Asked): Promise<View> {
  const [title, chosen] = Object.entries(scopes).find(([, value]) => value === scope) ?? ['All', undefined]
  const list = await api.list(Job, path`/projects/${project.id}/jobs`, { scope: chosen, page })
  const here = pageOf(project, 'jobs')
  return {
    title: `Jobs · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Jobs'),
    body: html`<h1>Jobs</h1>
      ${choices(
        'State',
        Object.entries(scopes).map(([name, value]) => ({
          title: name,
          address: addressOf(here, { scope: value }),
          here: name === title,
        })),
      )}
      ${rows({
        list,
        page,
        address: here,
        query: { scope: chosen },
        none: chosen === undefined ? 'No job ran yet. Pipelines have jobs.' : 'There is no such job.',
        row: (job) => jobRow(project, job),
      })}`,
  }
}

const jobRow = (project: EitherProject, job: Static<typeof Job>): Html =>
  html`<div>
      ${ciStatus(job.status)}
      <a href="${pageOf(project, `jobs/${job.id}`)}"><strong>${job.name}</strong></a>
      <span class="quiet">#${job.id} · ${job.stage}</span>
      ${job.tag_list.map((tag) => html`<span class="badge">${tag}</span> `)}
      <p class="quiet">
        ${referenceLink(project, job.ref)} ·
        <a href="${pageOf(project, `pipelines/${job.pipeline.id}`)}">Pipeline #${job.pipeline.id}</a>
        ${job.coverage !== null && `· ${job.coverage} %`}
      </p>
    </div>
    <p class="quiet aside">
      ${job.duration !== null && html`${durationInWords(job.duration)} · `}${since(job.created_at)}
    </p>`
