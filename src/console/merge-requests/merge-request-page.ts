import type { Static } from 'typebox'
import { CommitEntity } from '#code/commits/entity.ts'
import { DiffEntity } from '#code/commits/diff-entity.ts'
import { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { mergeRequestNoteable } from '#code/merge-requests/noteable.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { choices, emptyList, otherPages } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import type { View } from '../frame/show.ts'
import { activity, description, discussionsOn, rendered } from '../items/discussions.ts'
import { facts, factsOfItem, people } from '../items/facts.ts'
import { reactions, reactionsTo } from '../items/reactions.ts'
import { pageOf, projectHeader, slashed } from '../frame/project.ts'
import { commitLine } from '../repository/commit-line.ts'
import { type DiffView, shownDiffs } from '../repository/diffs.ts'

/** The parts of the page of a merge request, with how their addresses end. */
export const tabs = { Overview: '', Commits: '/commits', Changes: '/diffs' } as const
export type Tab = keyof typeof tabs

interface Asked extends Omit<DiffView, 'here'> {
  readonly iid: number
  readonly tab: Tab
  readonly page: number
}

const states = { opened: 'Open', closed: 'Closed', merged: 'Merged', locked: 'Merging' } as const

/** A merge request: what is said of it, its commits, or what it changes. */
export async function mergeRequestPage(
  api: Api,
  project: EitherProject,
  { iid, tab, ...asked }: Asked,
): Promise<View> {
  const address = path`/projects/${project.id}/merge_requests/${iid}`
  const here = pageOf(project, `merge_requests/${iid}`)
  const parts = { Overview: overview, Commits: commits, Changes: changes }
  const [request, part] = await Promise.all([
    api.get(MergeRequestSingle, address),
    parts[tab](api, project, { address, here: `${here}${tabs[tab]}`, ...asked }),
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
}

type Part = (request: Static<typeof MergeRequestSingle>) => Html | Promise<Html>

async function overview(api: Api, project: EitherProject, { address, here, page }: Place): Promise<Part> {
  const [discussions, awards] = await Promise.all([
    discussionsOn(api, mergeRequestNoteable, address, page),
    reactionsTo(api, address),
  ])
  return async (request) => {
    const texts = await rendered(api, { path: project.path_with_namespace }, request.description, discussions)
    return html`${facts([...factsOfItem(request), ['Reviewers', people(request.reviewers)]])}
      ${description(texts)} ${reactions(awards)}
      <section aria-label="Activity">
        ${activity(discussions, texts, request.user_notes_count)}
        ${discussions && otherPages(discussions, page, here, {})}
      </section>`
  }
}

async function commits(api: Api, project: EitherProject, { address, here, page }: Place): Promise<Part> {
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
  api: Api,
  _: EitherProject,
  { address, here, page, view, file }: Place,
): Promise<Part> {
  const list = await api.list(DiffEntity, `${address}/diffs`, { page, per_page: 50 })
  return () =>
    html`${shownDiffs(list.items, { here, page, view, file })} ${otherPages(list, page, here, { view })}`
}
