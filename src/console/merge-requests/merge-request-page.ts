import { type Static, type TObject, Type } from 'typebox'
import { Approvals } from '#code/merge-requests/approvals/state.ts'
import { CommitEntity } from '#code/commits/entity.ts'
import { DiffEntity } from '#code/commits/diff-entity.ts'
import { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { mergeRequestNoteable } from '#code/merge-requests/noteable.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { path } from '../frame/api.ts'
import type { Visit } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { choices, emptyList, otherPages } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import type { View } from '../frame/show.ts'
import { activity, description, discussionsOn, rendered } from '../items/discussions.ts'
import { facts, factsOfItem, people } from '../items/facts.ts'
import { reactions, reactionsTo } from '../items/reactions.ts'
import { pageOf, projectHeader, slashed } from '../frame/project.ts'
import { type Rights, rightsIn } from '../frame/rights.ts'
import { following } from '../items/following.ts'
import { Talk, TalkQuery } from '../items/talk.ts'
import { mergeBox } from './merge-box.ts'
import { draftList, draftsOn, lineForm } from './review.ts'
import { FILES } from './review-actions.ts'
import { commitLine } from '../repository/commit-line.ts'
import { DiffQuery, type DiffView, shownDiffs } from '../repository/diffs.ts'

/** The parts of the page of a merge request, with how their addresses end. */
export const tabs = { Overview: '', Commits: '/commits', Changes: '/diffs' } as const
export type Tab = keyof typeof tabs

/** Somebody at one of these parts. */
export const MergeRequestQuery = Type.Object({ ...TalkQuery.properties, ...DiffQuery })
export type MergeRequestVisit = Visit<TObject, typeof MergeRequestQuery>

interface Asked {
  readonly iid: number
  readonly tab: Tab
}

type MergeRequest = Static<typeof MergeRequestSingle>

const states = { opened: 'Open', closed: 'Closed', merged: 'Merged', locked: 'Merging' } as const

/** A merge request: what is said of it, its commits, or what it changes. */
export async function mergeRequestPage(
  visit: MergeRequestVisit,
  project: EitherProject,
  { iid, tab }: Asked,
): Promise<View> {
  const { api, query } = visit
  const address = path`/projects/${project.id}/merge_requests/${iid}`
  const here = pageOf(project, `merge_requests/${iid}`)
  const parts = { Overview: overview, Commits: commits, Changes: changes }
  const [request, part] = await Promise.all([
    api.get(MergeRequestSingle, address),
    parts[tab](visit, project, { address, here: `${here}${tabs[tab]}`, ...query }),
  ])
  const body = html`<h1>${request.title} <span class="quiet">!${request.iid}</span></h1>
    <p class="quiet">
      <span class="state ${request.state}">${states[request.state]}</span>
      ${request.draft && html`<span class="badge">draft</span>`} ${person(request.author)} wants to merge
      ${branch(project, request.source_branch, request.source_project_id === project.id)} into
      ${branch(project, request.target_branch, true)} · ${since(request.created_at)}
    </p>
    ${choices(
      'Merge request',
      Object.entries(tabs).map(([title, ending]) => ({
        title,
        address: `${here}${ending}`,
        here: title === tab,
      })),
    )}
    ${await part(request)}`
  return {
    title: `${request.title} (!${iid}) · ${project.name_with_namespace}`,
    body,
    place: projectHeader(project, 'Merge requests'),
  }
}

/** A branch, which leads to its files where they are in the same project. */
const branch = (project: EitherProject, name: string, isHere: boolean): Html =>
  isHere
    ? html`<a href="${pageOf(project, `tree/${slashed(name)}`)}"><code>${name}</code></a>`
    : html`<code>${name}</code>`

interface Place extends DiffView {
  readonly address: string
  readonly page: number
  readonly note?: number | undefined
}

type Part = (request: Static<typeof MergeRequestSingle>) => Html | Promise<Html>

async function overview(
  { api, forms, request: page }: MergeRequestVisit,
  project: EitherProject,
  { address, here, page: number, note }: Place,
): Promise<Part> {
  const [discussions, awards, rights, approvals] = await Promise.all([
    discussionsOn(api, mergeRequestNoteable, address, number),
    reactionsTo(api, address),
    rightsIn(api, path`/projects/${project.id}`),
    api.isForSomebody ? api.find(Approvals, `${address}/approvals`) : undefined,
  ])
  const me = page.identity?.user.id
  const talk = new Talk(
    forms,
    {
      me,
      mayWrite: rights.may('create_merge_request_note'),
      mayChangeAll: rights.may('admin_note'),
      mayWriteInternal: rights.may('read_internal_note'),
    },
    { here, page: number, note },
  )
  return async (request) => {
    const mayEdit = mayChange(rights, request, me)
    const texts = await rendered(api, { path: project.path_with_namespace }, request.description, discussions)
    return html`${api.isForSomebody && html`<div class="actions">${mayEdit && changing(forms, request, here)} ${rights.may('subscribe_merge_request') && following(forms, request.subscribed)}</div>`}
      ${mergeBox(forms, { request, approvals, mayChange: mayEdit, me })}
      ${rights.may('create_merge_request') && undoing(forms, request)}
      ${facts([...factsOfItem(request), ['Reviewers', people(request.reviewers)]])} ${description(texts)}
      ${reactions(awards, talk.reacting())}
      <section aria-label="Activity">
        ${activity(discussions, texts, request.user_notes_count, talk)}
        ${discussions && otherPages(discussions, number, here, {})} ${talk.comment()}
      </section>`
  }
}

async function commits(
  { api }: MergeRequestVisit,
  project: EitherProject,
  { address, here, page }: Place,
): Promise<Part> {
  const list = await api.list(CommitEntity, `${address}/commits`, { page, per_page: 40 })
  return () =>
    html`${
      list.items.length === 0
        ? emptyList('There is no commit to merge.')
        : html`<ul class="rows">
            ${list.items.map((commit) => html`<li><div>${commitLine(project, commit)}</div></li>`)}
          </ul>`
    }
    ${otherPages(list, page, here, {})}`
}

async function changes(
  { api, forms }: MergeRequestVisit,
  project: EitherProject,
  { address, here, page, view, file }: Place,
): Promise<Part> {
  const [list, drafts, rights] = await Promise.all([
    api.list(DiffEntity, `${address}/diffs`, { page, per_page: FILES }),
    draftsOn(api, address),
    rightsIn(api, path`/projects/${project.id}`),
  ])
  const mayWrite = rights.may('create_merge_request_note')
  return async (request) => {
    const texts = await api.render(drafts?.items.map(({ note }) => note) ?? [], {
      path: project.path_with_namespace,
    })
    return html`${mayWrite && drafts && draftList(forms, drafts, texts)}
    ${mayWrite && lineForm(forms, request, list.items)} ${shownDiffs(list.items, { here, page, view, file })}
    ${otherPages(list, page, here, { view })}`
  }
}

/** Whether the visitor may change a merge request: theirs, one that is assigned to them, or any. */
function mayChange(rights: Rights, { author, assignees }: MergeRequest, me: number | undefined): boolean {
  const isOwn = author.id === me || assignees.some(({ id }) => id === me)
  return rights.may('admin_merge_request') || (isOwn && rights.may('edit_merge_request'))
}

function changing(forms: Forms, { state }: MergeRequest, here: string): Html | undefined {
  if (state !== 'opened' && state !== 'closed') return undefined
  const about = 'the merge request'
  return html`<a class="button secondary" href="${here}/edit">Change</a> ${
      state === 'opened'
        ? forms.write({ does: 'close', submit: 'Close', about, looks: 'secondary' })
        : forms.write({ does: 'reopen', submit: 'Open again', about, looks: 'secondary' })
    }`
}

/** What can be done with what was merged. */
function undoing(forms: Forms, { state, target_branch, iid }: MergeRequest): Html | undefined {
  if (state !== 'merged') return undefined
  return html`<div class="actions">
    ${forms.write({
      does: 'revert',
      opens: 'Revert',
      submit: 'Revert',
      about: 'the merge request',
      fields: [{ name: 'branch', label: 'On the branch', value: target_branch, required: true }],
    })}
    ${forms.write({
      does: 'cherry-pick',
      opens: 'Cherry-pick',
      submit: 'Cherry-pick',
      about: `!${iid}`,
      fields: [{ name: 'branch', label: 'To the branch', value: '', required: true }],
    })}
  </div>`
}
