import type { Static, TObject } from 'typebox'
import { AlertDetails } from '#monitoring/alerts/entity.ts'
import { MetricImage } from '#monitoring/alerts/metric-images.ts'
import { alertNoteable } from '#monitoring/alerts/noteable.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { path } from '../frame/api.ts'
import type { Visit } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { rightsIn } from '../frame/rights.ts'
import { Talk, type TalkQuery } from '../items/talk.ts'
import { otherPages } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import type { View } from '../frame/show.ts'
import { externalLink } from '../environments/deployment-row.ts'
import { activity, discussionsOn, rendered } from '../items/discussions.ts'
import { facts, people } from '../items/facts.ts'
import { alertStatus, severityMark } from './alert-list.ts'

type Asked = Pick<Visit<TObject, typeof TalkQuery>, 'api' | 'forms' | 'request' | 'query'>

/** Characters of a payload that a page shows. */
const MOST_PAYLOAD = 50_000

/** An alert has no more. */
const MOST_PICTURES = 100

const inWhole = (text: string | null): Html | undefined => (text === null ? undefined : html`${text}`)

/** An alert with all that its monitoring tool sent, and what people said of it. */
export async function alertPage(
  { api, forms, request, query: { page, note } }: Asked,
  project: EitherProject,
  iid: number,
): Promise<View> {
  const here = pageOf(project, `alert_management/${iid}/details`)
  const address = path`/projects/${project.id}/alert_management_alerts/${iid}`
  const [alert, discussions, pictures, rights] = await Promise.all([
    api.get(AlertDetails, address),
    discussionsOn(api, alertNoteable, address, page),
    api.findList(MetricImage, `${address}/metric_images`, { per_page: MOST_PICTURES }),
    rightsIn(api, path`/projects/${project.id}`),
  ])
  const texts = await rendered(api, { path: project.path_with_namespace }, null, discussions)
  const { title, description, severity, status, issue_iid, runbook, metrics_query, ended_at } = alert
  const talk = new Talk(
    forms,
    {
      me: request.identity?.user.id,
      mayWrite: rights.may('create_alert_note'),
      mayChangeAll: rights.may('admin_note'),
      mayWriteInternal: false,
    },
    { here, page, note },
  )
  const body = html`<h1>${title} <span class="quiet">^alert#${iid}</span></h1>
    <p class="quiet">${severityMark(severity)} ${alertStatus(status)} since ${since(alert.started_at)}</p>
    ${rights.may('update_alert') && statusForms(forms, status, issue_iid === null && rights.may('create_issue'))}
    ${facts([
      ['Assigned to', people(alert.assignees)],
      [
        'Incident',
        issue_iid === null
          ? undefined
          : html`<a href="${pageOf(project, `issues/incident/${issue_iid}`)}">#${issue_iid}</a>`,
      ],
      ['Events', html`${alert.event_count}`],
      ['Last event', since(alert.last_event_at)],
      ['Ended', ended_at === null ? undefined : since(ended_at)],
      ['Service', inWhole(alert.service)],
      ['Tool', inWhole(alert.monitoring_tool)],
      ['Environment', inWhole(alert.environment)],
      ['Hosts', alert.hosts.length === 0 ? undefined : html`${alert.hosts.join(', ')}`],
      ['Runbook', runbook === null ? undefined : externalLink(runbook)],
      ['Query', metrics_query === null ? undefined : html`<code>${metrics_query}</code>`],
    ])}
    ${description !== null && description !== '' && html`<div class="text plain">${description}</div>`}
    ${picturesOf(pictures?.items ?? [])}
    <details>
      <summary>What the tool sent</summary>
      <pre class="lines" tabindex="0">${JSON.stringify(alert.payload, null, 2).slice(0, MOST_PAYLOAD)}</pre>
    </details>
    <section aria-label="Activity">
      ${activity(discussions, texts, alert.user_notes_count, talk)}
      ${discussions && otherPages(discussions, page, here, {})} ${talk.comment()}
    </section>`
  return { title: `${title} · ${project.name_with_namespace}`, place: projectHeader(project, 'Alerts'), body }
}

/** What to do with an alert, by the status that follows. */
export const alertSteps = {
  acknowledged: ['Acknowledge', 'You have acknowledged the alert.'],
  resolved: ['Resolve', 'The alert is resolved.'],
  ignored: ['Ignore', 'The alert is ignored.'],
  triggered: ['Open again', 'The alert is open again.'],
} as const

const statusForms = (forms: Forms, status: string, mayBecomeIncident: boolean): Html =>
  html`<div class="actions">
    ${Object.entries(alertSteps)
      .filter(([next]) => next !== status)
      .map(([next, [submit]]) => forms.write({ does: next, submit, about: 'the alert', looks: 'secondary' }))}
    ${forms.write({ does: 'take', submit: 'Assign it to me', looks: 'secondary' })}
    ${mayBecomeIncident && forms.write({ does: 'incident', submit: 'Make an incident', looks: 'secondary' })}
  </div>`

/** Pictures that people added. The API sends them, each when it comes into view. */
const picturesOf = (pictures: readonly Static<typeof MetricImage>[]): Html | undefined =>
  pictures.length === 0
    ? undefined
    : html`<section aria-labelledby="pictures">
        <h2 id="pictures">Metrics</h2>
        <ul class="pictures">
          ${pictures.map(
            ({ file_path, filename, url, url_text }) =>
              html`<li>
                <a href="${file_path}"><img src="${file_path}" alt="${filename}" loading="lazy" /></a>
                ${url !== null && url !== '' && html`<p>${externalLink(url, url_text === null || url_text === '' ? url : url_text)}</p>`}
              </li>`,
          )}
        </ul>
      </section>`
