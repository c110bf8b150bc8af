import type { Static } from 'typebox'
import { PipelineSchedule } from '#ci/pipeline-schedules/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { addressOf, choices } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { rows } from '../parts/rows.ts'
import { referenceLink } from './pipeline-list.ts'

export const scheduleScopes = ['active', 'inactive'] as const
const titles = { All: undefined, Active: 'active', Inactive: 'inactive' } as const

interface Asked {
  readonly scope?: (typeof scheduleScopes)[number]
  readonly page: number
}

/** When pipelines are made by themselves. */
export async function scheduleList(
  api: Api,
  me: number | undefined,
  project: EitherProject,
  { scope, page }: Asked,
): Promise<View> {
  const [list, rights] = await Promise.all([
    api.list(PipelineSchedule, path`/projects/${project.id}/pipeline_schedules`, { scope, page }),
    rightsIn(api, path`/projects/${project.id}`),
  ])
  const mayMake = rights.may('create_pipeline_schedule')
  const mayChange = (one: Static<typeof PipelineSchedule>) =>
    rights.may('admin_pipeline_schedule') || (mayMake && one.owner?.id === me)
  const here = pageOf(project, 'pipeline_schedules')
  return {
    title: `Schedules · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Schedules'),
    body: html`<h1>Schedules</h1>
      ${mayMake && html`<p class="actions"><a class="button" href="${here}/new">New schedule</a></p>`}
      ${choices(
        'State',
        Object.entries(titles).map(([title, value]) => ({
          title,
          address: addressOf(here, { scope: value }),
          here: value === scope,
        })),
      )}
      ${rows({
        list,
        page,
        address: here,
        query: { scope },
        none: 'No schedule. One starts a pipeline every night, or whenever its cron expression says.',
        row: (one) => scheduleRow(project, one, mayChange(one)),
      })}`,
  }
}

const scheduleRow = (
  project: EitherProject,
  one: Static<typeof PipelineSchedule>,
  mayChange: boolean,
): Html =>
  html`<div>
      <strong>${one.description}</strong> ${!one.active && html`<span class="badge">inactive</span>`}
      <p class="quiet">
        <code>${one.cron}</code> ${one.cron_timezone} · ${referenceLink(project, one.ref)}
        ${one.owner !== null && html`· ${person(one.owner)}`}
      </p>
    </div>
    <p class="quiet aside">
      ${one.active && one.next_run_at !== null && html`next ${since(one.next_run_at)}`}
      ${mayChange && html`· <a href="${pageOf(project, `pipeline_schedules/${one.id}/edit`)}">Change<span class="unseen"> ${one.description}</span></a>`}
    </p>`
