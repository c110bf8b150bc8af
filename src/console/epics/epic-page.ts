import { type Html, html } from '#platform/http/html.ts'
import { Epic, EpicIssue, EpicSingle } from '#planning/epics/entity.ts'
import { epicNoteable } from '#planning/epics/noteable.ts'
import { type TObject, Type } from 'typebox'
import { path } from '../frame/api.ts'
import type { Visit } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { rightsIn } from '../frame/rights.ts'
import { Talk, TalkQuery } from '../items/talk.ts'
import { type GroupDetail, groupHeader, groupPageOf } from '../frame/group.ts'
import { labelList } from '../frame/labels.ts'
import { ListParts } from '../frame/list-parts.ts'
import { otherPages, pageNumber, pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import type { View } from '../frame/show.ts'
import { activity, description, discussionsOn, rendered } from '../items/discussions.ts'
import { facts } from '../items/facts.ts'
import { reactions, reactionsTo } from '../items/reactions.ts'
import { itemRow } from '../items/row.ts'

/** Issues, or epics, of an epic that its page shows at once. */
const MOST = 50

/** Which part of its notes and lists an address shows. */
export const EpicQuery = Type.Object({ ...TalkQuery.properties, epics: pageNumber, issues: pageNumber })

type Asked = Pick<Visit<TObject, typeof EpicQuery>, 'api' | 'forms' | 'request' | 'query'>

/** An epic with what is in it, and a page of what people said of it and did to it. */
export async function epicPage(
  { api, forms, request, query: { page, note, ...parts } }: Asked,
  group: GroupDetail,
  iid: number,
): Promise<View> {
  const here = groupPageOf(group, `epics/${iid}`)
  const address = path`/groups/${group.id}/epics/${iid}`
  const lists = new ListParts(api, here, parts)
  const [epic, issues, epics, awards, rights] = await Promise.all([
    api.get(EpicSingle, address),
    lists.list('issues', EpicIssue, `${address}/issues`, { per_page: MOST }),
    lists.list('epics', Epic, `${address}/epics`, { per_page: MOST }),
    reactionsTo(api, address),
    rightsIn(api, path`/groups/${group.id}`),
  ])
  // Paths of notes name epics by their ids.
  const discussions = await discussionsOn(api, epicNoteable, path`/groups/${group.id}/epics/${epic.id}`, page)
  const texts = await rendered(api, { path: group.full_path, kind: 'group' }, epic.description, discussions)
  const talk = new Talk(
    forms,
    {
      me: request.identity?.user.id,
      mayWrite: rights.may('create_epic_note'),
      mayChangeAll: rights.may('admin_epic_note'),
      mayWriteInternal: rights.may('read_internal_epic_note'),
    },
    { here, page, note },
  )
  const body = html`<article>
    <h1>${epic.title} <span class="quiet">&${epic.iid}</span></h1>
    <p class="quiet">
      <span class="state ${epic.state}">${epic.state === 'opened' ? 'Open' : 'Closed'}</span>
      ${epic.confidential && html`<span class="badge">confidential</span>`} by ${person(epic.author)} ·
      ${since(epic.created_at)}
    </p>
    ${rights.may('admin_epic') && stateForms(forms, epic.state, here)}
    ${facts([
      ['Labels', epic.labels.length > 0 ? html`${labelList(epic.labels)}` : undefined],
      ['Starts', day(epic.start_date)],
      ['Due', day(epic.due_date)],
    ])}
    ${description(texts, rights.may('admin_epic'))} ${reactions(awards, talk.reacting())}
    ${inside(
      'Epics in it',
      epics.items.map((one) => itemRow(one, one.references.full, pathIn(one.web_url))),
      epics.others,
    )}
    ${inside(
      'Issues in it',
      issues.items.map((one) => itemRow(one, one.references.full, pathIn(one.web_url))),
      issues.others,
    )}
    <section aria-label="Activity">
      ${activity(discussions, texts, 0, talk)} ${discussions && otherPages(discussions, page, here, {})}
      ${talk.comment()}
    </section>
  </article>`
  return { title: `${epic.title} (&${iid}) · ${group.full_name}`, body, place: groupHeader(group, 'Epics') }
}

const stateForms = (forms: Forms, state: string, here: string): Html =>
  html`<div class="actions">
    <a class="button secondary" href="${here}/edit">Change</a>
    ${
      state === 'opened'
        ? forms.write({ does: 'close', submit: 'Close', about: 'the epic', looks: 'secondary' })
        : forms.write({ does: 'reopen', submit: 'Open again', about: 'the epic', looks: 'secondary' })
    }
  </div>`

const day = (date: string | null): Html | undefined =>
  date === null ? undefined : html`<time datetime="${date}">${date}</time>`

const inside = (title: string, rows: readonly Html[], others: Html | undefined): Html | undefined =>
  rows.length === 0 && others === undefined
    ? undefined
    : html`<section aria-label="${title}">
        <h2>${title}</h2>
        <ul class="rows">
          ${rows.map((row) => html`<li>${row}</li>`)}
        </ul>
        ${others}
      </section>`
