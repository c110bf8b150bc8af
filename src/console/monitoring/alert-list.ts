import type { Static } from 'typebox'
import { severities } from '#monitoring/alert-receiver/payload/report.ts'
import { Alert } from '#monitoring/alerts/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { since } from '../frame/moments.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import type { View } from '../frame/show.ts'
import { people } from '../items/facts.ts'
import { filterForm, given } from '../parts/filters.ts'
import { rows } from '../parts/rows.ts'
import { titled } from '../parts/words.ts'

const statuses = ['triggered', 'acknowledged', 'resolved', 'ignored'] as const
/** Those that somebody has to look at. */
const OPEN = 'triggered,acknowledged'

interface Asked {
  readonly status?: string
  readonly severity?: string
  readonly search?: string
  readonly page: number
}

/** What monitoring tools reported of a project. */
export async function alertList(api: Api, project: EitherProject, asked: Asked): Promise<View> {
  const query = { status: given(asked.status), severity: given(asked.severity), search: given(asked.search) }
  // Without a choice, those that are over are left out; the form sends a blank one for all.
  const status = asked.status === undefined ? OPEN : (query.status ?? statuses.join(','))
  const list = await api.list(Alert, path`/projects/${project.id}/alert_management_alerts`, {
    ...query,
    status,
    page: asked.page,
  })
  const here = pageOf(project, 'alert_management')
  const isFiltered = asked.status !== undefined || query.severity !== undefined || query.search !== undefined
  return {
    title: `Alerts · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Alerts'),
    body: html`<h1>Alerts</h1>
      ${filterForm(here, [
        {
          name: 'status',
          label: 'Status',
          value: status,
          options: [OPEN, ...statuses],
          titles: { [OPEN]: 'Open' },
        },
        { name: 'severity', label: 'Severity', value: query.severity, options: severities },
        { name: 'search', label: 'Words', value: query.search },
      ])}
      ${rows({
        list,
        page: asked.page,
        address: here,
        query: { ...query, status },
        none: isFiltered
          ? 'No alert fits these filters.'
          : 'No alert waits for somebody. Monitoring tools send them to an alert integration.',
        row: (alert) => alertRow(project, alert),
      })}`,
  }
}

const SERIOUS: ReadonlySet<string> = new Set(['critical', 'high'])

export const severityMark = (severity: string): Html =>
  html`<span class="ci ${SERIOUS.has(severity) ? 'bad' : severity === 'medium' ? 'warns' : 'still'}"
    >${titled(severity)}</span
  >`

export const alertStatus = (status: string): Html => html`<span class="badge">${status}</span>`

const alertRow = (project: EitherProject, alert: Static<typeof Alert>): Html =>
  html`<div>
      ${severityMark(alert.severity)}
      <a href="${pageOf(project, `alert_management/${alert.iid}/details`)}"
        ><strong>${alert.title}</strong></a
      >
      ${alertStatus(alert.status)}
      <p class="quiet">
        ${alert.event_count} ${alert.event_count === 1 ? 'event' : 'events'}
        ${alert.service !== null && `· ${alert.service}`}
        ${alert.monitoring_tool !== null && `· ${alert.monitoring_tool}`}
        ${
          alert.issue_iid !== null &&
          html`·
            <a href="${pageOf(project, `issues/incident/${alert.issue_iid}`)}"
              >Incident #${alert.issue_iid}</a
            >`
        }
      </p>
    </div>
    <p class="quiet aside">${people(alert.assignees)} ${since(alert.started_at)}</p>`
