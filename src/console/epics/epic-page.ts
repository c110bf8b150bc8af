import { type Html, html } from '#platform/http/html.ts'
import { Epic, EpicIssue, EpicSingle } from '#planning/epics/entity.ts'
import { epicNoteable } from '#planning/epics/noteable.ts'
import { type Api, path } from '../frame/api.ts'
import { type GroupDetail, groupHeader, groupPageOf } from '../frame/group.ts'
import { labelList } from '../frame/labels.ts'
import { otherPages, pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import type { View } from '../frame/show.ts'
import { activity, description, discussionsOn, rendered } from '../items/discussions.ts'
import { facts } from '../items/facts.ts'
import { reactions, reactionsTo } from '../items/reactions.ts'
import { itemRow } from '../items/row.ts'

/** Issues and epics of an epic that its page shows. */
const MOST = 50

/** An epic with what is in it, and a page of what people said of it and did to it. */
export async function epicPage(api: Api, group: GroupDetail, iid: number, page: number): Promise<View> {
  const address = path`/groups/${group.id}/epics/${iid}`
  const [epic, issues, epics, awards] = await Promise.all([
    api.get(EpicSingle, address),
    api.list(EpicIssue, `${address}/issues`, { per_page: MOST }),
    api.list(Epic, `${address}/epics`, { per_page: MOST }),
    reactionsTo(api, address),
  ])
  // Paths of notes name epics by their ids.
  const discussions = await discussionsOn(api, epicNoteable, path`/groups/${group.id}/epics/${epic.id}`, page)
  const texts = await rendered(api, { path: group.full_path, kind: 'group' }, epic.description, discussions)
  const body = html`<article>
    <h1>${epic.title} <span class="quiet">&${epic.iid}</span></h1>
    <p class="quiet">
      <span class="state ${epic.state}">${epic.state === 'opened' ? 'Open' : 'Closed'}</span>
      ${epic.confidential && html`<span class="badge">confidential</span>`} by ${person(epic.author)} ·
      ${since(epic.created_at)}
    </p>
    ${facts([
      ['Labels', epic.labels.length > 0 ? html`${labelList(epic.labels)}` : undefined],
      ['Starts', day(epic.start_date)],
      ['Due', day(epic.due_date)],
    ])}
    ${description(texts)} ${reactions(awards)}
    ${inside(
      'Epics in it',
      epics.items.map((one) => itemRow(one, one.references.full, pathIn(one.web_url))),
      epics.next !== undefined,
    )}
    ${inside(
      'Issues in it',
      issues.items.map((one) => itemRow(one, one.references.full, pathIn(one.web_url))),
      issues.next !== undefined,
    )}
    <section aria-label="Activity">
      ${activity(discussions, texts, 0)}
      ${discussions && otherPages(discussions, page, groupPageOf(group, `epics/${iid}`), {})}
    </section>
  </article>`
  return { title: `${epic.title} (&${iid}) · ${group.full_name}`, body, place: groupHeader(group, 'Epics') }
}

const day = (date: string | null): Html | undefined =>
  date === null ? undefined : html`<time datetime="${date}">${date}</time>`

const inside = (title: string, rows: readonly Html[], more: boolean): Html | undefined =>
  rows.length === 0
    ? undefined
    : html`<section aria-label="${title}">
        <h2>${title}</h2>
        <ul class="rows">
          ${rows.map((row) => html`<li>${row}</li>`)}
        </ul>
        ${more && html`<p class="quiet">The first ${MOST} are shown.</p>`}
      </section>`
