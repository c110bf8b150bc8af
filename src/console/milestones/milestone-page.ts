import { type Static, Type } from 'typebox'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { Issue } from '#planning/issues/entity.ts'
import { Milestone } from '#planning/milestones/entity.ts'
import { type Api, path } from '../frame/api.ts'
import type { Container } from '../frame/container.ts'
import { type ListPart, ListParts } from '../frame/list-parts.ts'
import { addressOf, pageNumber, pathIn } from '../frame/lists.ts'
import type { Forms } from '../frame/forms.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { facts } from '../items/facts.ts'
import { milestoneFields } from './fields.ts'
import { itemRow } from '../items/row.ts'

/** Issues, or merge requests, of a milestone that its page shows at once. */
const MOST = 50

/** Which part of its lists an address shows. */
export const MilestoneParts = Type.Object({ issues: pageNumber, merge_requests: pageNumber })

interface Asked {
  readonly iid: number
  readonly parts: Static<typeof MilestoneParts>
}

/** A milestone, with what is to be done for it. @throws 404 */
export async function milestonePage(
  api: Api,
  forms: Forms,
  container: Container,
  { iid, parts }: Asked,
): Promise<View> {
  const milestone = await findMilestone(api, container, iid)
  const { id, title, state, description, start_date, due_date } = milestone
  const address = container.api + path`/milestones/${id}`
  const query = { per_page: MOST }
  const lists = new ListParts(api.besides, container.page(`milestones/${iid}`), parts)
  const [issues, requests, [text], rights] = await Promise.all([
    lists.findList('issues', Issue, `${address}/issues`, query),
    lists.findList('merge_requests', ListedMergeRequest, `${address}/merge_requests`, query),
    api.render([description ?? ''], container.texts),
    rightsIn(api, container.api),
  ])
  const total = issues?.total ?? issues?.items.length ?? 0
  const closed = issues?.items.filter((one) => one.state === 'closed').length ?? 0
  return {
    title: `${title} · ${container.title}`,
    place: container.header('Milestones'),
    body: html`<article>
      <h1>${title}</h1>
      <p class="quiet">
        <span class="state ${state === 'active' ? 'opened' : 'closed'}"
          >${state === 'active' ? 'Open' : 'Closed'}</span
        >
        ${total > 0 && total <= MOST && html`${closed} of ${total} issues are closed`}
      </p>
      ${total > 0 && total <= MOST && html`<progress value="${closed}" max="${total}" aria-label="Closed issues"></progress>`}
      ${rights.may('admin_milestone') && changing(forms, milestone)}
      ${facts([
        ['Starts', day(start_date)],
        ['Due', day(due_date)],
      ])}
      ${description !== null && description !== '' && html`<div class="text">${text}</div>`}
      ${section('Issues', issues, (one) => one.references.full)}
      ${total > MOST && html`<p><a href="${addressOf(container.page('issues'), { milestone: title, state: 'all' })}">All ${total} issues</a></p>`}
      ${isEmpty(issues) && isEmpty(requests) && html`<p class="empty">Nothing has this milestone yet. Choose it where you make or change an issue or a merge request.</p>`}
      ${section('Merge requests', requests, (one) => one.references?.full ?? `!${one.iid}`)}
    </article>`,
  }
}

/** Paths of the API name milestones by their ids. @throws 404 */
export async function findMilestone(
  api: Api,
  container: Container,
  iid: number,
): Promise<Static<typeof Milestone>> {
  const { items } = await api.list(Milestone, `${container.api}/milestones`, { 'iids[]': iid })
  const [milestone] = items
  if (milestone === undefined) throw notFound()
  return milestone
}

function changing(forms: Forms, milestone: Static<typeof Milestone>): Html {
  const about = 'the milestone'
  const fields = milestoneFields(milestone)
  return html`<div class="actions">
    ${forms.write({ does: 'save', opens: 'Change', submit: 'Save', about, changes: true, fields, updatedAt: milestone.updated_at })}
    ${
      milestone.state === 'active'
        ? forms.write({ does: 'close', submit: 'Close', about, looks: 'secondary' })
        : forms.write({ does: 'activate', submit: 'Open again', about, looks: 'secondary' })
    }
    ${forms.write({ does: 'delete', submit: 'Delete', about, asks: 'What is in it stays, without a milestone.' })}
  </div>`
}

const day = (date: string | null): Html | undefined =>
  date === null ? undefined : html`<time datetime="${date}">${date}</time>`

/** Whether nothing is in a list, on none of its pages. */
const isEmpty = (list: ListPart<unknown> | undefined): boolean =>
  list?.items.length === 0 && list.others === undefined

type Item = Parameters<typeof itemRow>[0] & { readonly web_url: string }

const section = <T extends Item>(
  title: string,
  list: ListPart<T> | undefined,
  reference: (item: T) => string,
): Html | undefined =>
  list === undefined || isEmpty(list)
    ? undefined
    : html`<section aria-label="${title}">
        <h2>${title}</h2>
        <ul class="rows">
          ${list.items.map((one) => html`<li>${itemRow(one, reference(one), pathIn(one.web_url))}</li>`)}
        </ul>
        ${list.others}
      </section>`
