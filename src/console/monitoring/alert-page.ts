import type { Static } from 'typebox'
import { AlertDetails } from '#monitoring/alerts/entity.ts'
import { MetricImage } from '#monitoring/alerts/metric-images.ts'
import { alertNoteable } from '#monitoring/alerts/noteable.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { otherPages } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import type { View } from '../frame/show.ts'
import { externalLink } from '../environments/deployment-row.ts'
import { activity, discussionsOn, rendered } from '../items/discussions.ts'
import { facts, people } from '../items/facts.ts'
import { alertStatus, severityMark } from './alert-list.ts'

/** Characters of a payload that a page shows. */
const MOST_PAYLOAD = 50_000

/** An alert has no more. */
const MOST_PICTURES = 100

const inWhole = (text: string | null): Html | undefined => (text === null ? undefined : html`${text}`)

/** An alert with all that its monitoring tool sent, and what people said of it. */
export async function alertPage(api: Api, project: EitherProject, iid: number, page: number): Promise<View> {
  const address = path`/projects/${project.id}/alert_management_alerts/${iid}`
  const [alert, discussions, pictures] = await Promise.all([
    api.get(AlertDetails, address),
    discussionsOn(api, alertNoteable, address, page),
    api.findList(MetricImage, `${address}/metric_images`, { per_page: MOST_PICTURES }),
  ])
  const texts = await rendered(api, { path: project.path_with_namespace }, null, discussions)
  const { title, description, severity, status, issue_iid, runbook, metrics_query, ended_at } = alert
  const body = html`<h1>${title} <span class="quiet">^alert#${iid}</span></h1>
    <p class="quiet">${severityMark(severity)} ${alertStatus(status)} since ${since(alert.started_at)}</p>
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
      ${activity(discussions, texts, alert.user_notes_count)}
      ${discussions && otherPages(discussions, page, pageOf(project, `alert_management/${iid}/details`), {})}
    </section>`
  return { title: `${title} · ${project.name_with_namespace}`, place: projectHeader(project, 'Alerts'), body }
}

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
