import type { Static } from 'typebox'
import { type PipelineBasic, PipelineListed } from '#code/pipelines/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { rightsIn } from '../frame/rights.ts'
import { pageOf, projectHeader, slashed } from '../frame/project.ts'
import type { View } from '../frame/show.ts'
import { filterForm, given } from '../parts/filters.ts'
import { rows } from '../parts/rows.ts'
import { ciStatus, inWords } from '../parts/words.ts'

interface Asked {
  readonly status?: string
  readonly ref?: string
  readonly source?: string
  readonly page: number
}

/** Those that people filter by; the API knows more. */
export const statusChoices = [
  'running',
  'pending',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
] as const
export const sourceChoices = [
  'push',
  'web',
  'api',
  'schedule',
  'trigger',
  'merge_request_event',
  'parent_pipeline',
  'pipeline',
  'external',
] as const

/** The pipelines of a project, the newest first. */
export async function pipelineList(api: Api, project: EitherProject, asked: Asked): Promise<View> {
  const query = { status: given(asked.status), ref: given(asked.ref), source: given(asked.source) }
  const list = await api.list(PipelineListed, path`/projects/${project.id}/pipelines`, {
    ...query,
    page: asked.page,
  })
  const rights = await rightsIn(api, path`/projects/${project.id}`)
  const here = pageOf(project, 'pipelines')
  const isFiltered = Object.values(query).some((value) => value !== undefined)
  return {
    title: `Pipelines · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Pipelines'),
    body: html`<h1>Pipelines</h1>
      ${rights.may('create_pipeline') && html`<p class="actions"><a class="button" href="${here}/new">Run a pipeline</a></p>`}
      ${filterForm(here, [
        { name: 'status', label: 'Status', value: query.status, options: statusChoices },
        { name: 'ref', label: 'Branch or tag', value: query.ref },
        { name: 'source', label: 'Source', value: query.source, options: sourceChoices },
      ])}
      ${rows({
        list,
        page: asked.page,
        address: here,
        query,
        none: isFiltered
          ? 'No pipeline fits these filters.'
          : 'No pipeline ran yet. A file named .gitlab-ci.yml says what a push sets in motion.',
        row: (pipeline) => listedRow(project, pipeline),
      })}`,
  }
}

function listedRow(project: EitherProject, pipeline: Static<typeof PipelineListed>): Html {
  const commit = html`<a href="${pageOf(project, `commit/${pipeline.sha}`)}"
    ><code>${pipeline.sha.slice(0, 8)}</code></a
  >`
  return pipelineRow(pipeline, html`${referenceLink(project, pipeline.ref)} · ${commit}`, pipeline.name)
}

/**
 * A pipeline in a list.
 * @param ranFor what it ran for
 */
export const pipelineRow = (
  { id, status, source, created_at, web_url }: Static<typeof PipelineBasic>,
  ranFor: Html,
  name: string | null = null,
): Html =>
  html`<div>
      ${ciStatus(status)}
      <a href="${pathIn(web_url)}"><strong>${name ?? `#${id}`}</strong></a>
      ${name !== null && html`<span class="quiet">#${id}</span>`}
      <p class="quiet">${ranFor} · ${inWords(source)}</p>
    </div>
    <p class="quiet aside">${since(created_at)}</p>`

/** What something ran for: the files of a branch or tag, or a merge request. */
export function referenceLink(project: EitherProject, ref: string): Html {
  const [, request] = /^refs\/merge-requests\/(\d+)\//.exec(ref) ?? []
  if (request !== undefined)
    return html`<a href="${pageOf(project, `merge_requests/${request}`)}">!${request}</a>`
  const name = ref.replace(/^refs\/(?:heads|tags)\//, '')
  return html`<a href="${pageOf(project, `tree/${slashed(name)}`)}"><code>${name}</code></a>`
}
