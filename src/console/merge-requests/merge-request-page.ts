import type { Static } from 'typebox'
import { Approvals } from '#code/merge-requests/approvals/state.ts'
import { CommitEntity } from '#code/commits/entity.ts'
import { PipelineBasic } from '#code/pipelines/entity.ts'
import { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { Conflict } from '#code/merge-requests/merge/conflicts.ts'
import { mergeRequestNoteable } from '#code/merge-requests/noteable.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { path } from '../frame/api.ts'
import type { Forms } from '../frame/forms.ts'
import { choices, emptyList, otherPages, pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import type { View } from '../frame/show.ts'
import { activity, description, discussionsOn, type OfNotes, rendered } from '../items/discussions.ts'
import { type Fact, facts, factsOfItem, people } from '../items/facts.ts'
import { reactions, reactionsTo } from '../items/reactions.ts'
import { pageOf, projectHeader, slashed } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import { following } from '../items/following.ts'
import { Talk } from '../items/talk.ts'
import { tasksDone } from '../items/tasks.ts'
import { spentOf, timeForms } from '../items/time.ts'
import { rows } from '../parts/rows.ts'
import { ciStatus } from '../parts/words.ts'
import { pipelineRow } from '../pipelines/pipeline-list.ts'
import { mergeBox } from './merge-box.ts'
import { changesPart } from './changes-part.ts'
import { mayApply, mayChange, talkRights } from './may.ts'
import { type MergeRequestVisit, type Part, type Place, type Tab, tabs } from './merge-request-visit.ts'
import { draftReplies, draftsOn, draftsWait } from './review.ts'
import { applySeveral, lineOf, suggestionsOf, textOf } from './suggestions.ts'
import { commitLine } from '../repository/commit-line.ts'

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
  const parts = { Overview: overview, Commits: commits, Pipelines: pipelines, Changes: changesPart }
  const [request, part] = await Promise.all([
    api.get(MergeRequestSingle, address),
    parts[tab](visit, project, { address, here: `${here}${tabs[tab]}`, ...query }),
  ])
  const body = html`<h1>${request.title} <span class="quiet">!${request.iid}</span></h1>
    <p class="quiet">
      <span class="state ${request.state}">${states[request.state]}</span>
      ${request.draft && html`<span class="badge">draft</span>`} ${person(request.author)}
      ${request.state === 'merged' || request.state === 'closed' ? 'asked to merge' : 'wants to merge'}
      ${branch(project, request.source_branch, request.source_project_id === project.id && request.state !== 'merged')}
      into ${branch(project, request.target_branch, true)} · ${since(request.created_at)}
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

/** A branch, which leads to its files where they are in the same project: one that was merged may be gone. */
const branch = (project: EitherProject, name: string, isHere: boolean): Html =>
  isHere
    ? html`<a href="${pageOf(project, `tree/${slashed(name)}`)}"><code>${name}</code></a>`
    : html`<code>${name}</code>`

async function overview(
  { api, forms, request: page }: MergeRequestVisit,
  project: EitherProject,
  { address, here, page: number, note }: Place,
): Promise<Part> {
  const [discussions, awards, rights, approvals, drafts] = await Promise.all([
    discussionsOn(api, mergeRequestNoteable, address, number),
    reactionsTo(api, address),
    rightsIn(api, path`/projects/${project.id}`),
    api.isForSomebody ? api.find(Approvals, `${address}/approvals`) : undefined,
    draftsOn(api.besides, address, 1),
  ])
  const me = page.identity?.user.id
  return async (request) => {
    const talk = new Talk(forms, talkRights(rights, request, me), {
      here,
      page: number,
      note,
      replies: draftReplies,
    })
    const mayEdit = mayChange(rights, request, me)
    const view = { request, mayApply: mayApply(rights, request, me) }
    const of: OfNotes = { textOf, below: (note) => suggestionsOf(forms, note, view), place: lineOf }
    const place = { path: project.path_with_namespace }
    const hasConflicts = request.detailed_merge_status === 'conflict' && api.isForSomebody
    const [texts, conflicts] = await Promise.all([
      rendered(api, place, request.description, discussions, of),
      hasConflicts ? api.besides.findList(Conflict, `${address}/conflicts`) : undefined,
    ])
    return html`${api.isForSomebody && html`<div class="actions">${mayEdit && changing(forms, request, here)} ${rights.may('subscribe_merge_request') && following(forms, request.subscribed)} ${rights.may('admin_merge_request') && timeForms(forms, request.time_stats)}</div>`}
      ${rights.may('create_merge_request_note') && drafts && draftsWait(drafts, `${here}${tabs.Changes}`)}
      ${mergeBox(forms, { request, approvals, conflicts: conflicts?.items ?? [], mayChange: mayEdit, here, me })}
      ${rights.may('create_merge_request') && undoing(forms, request)}
      ${facts([...merged(project, request), ...factsOfItem(request, pageOf(project, 'merge_requests')), ['Reviewers', people(request.reviewers)], ['Pipeline', lastPipeline(request)], ['Time', spentOf(request.time_stats)], ['Tasks', tasksDone(request.task_completion_status)]])}
      ${description(texts, mayEdit)} ${reactions(awards, talk.reacting())}
      <section aria-label="Activity">
        ${applySeveral(forms, discussions, view)}
        ${activity(discussions, texts, request.user_notes_count, talk, of)}
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

async function pipelines(
  { api }: MergeRequestVisit,
  _: EitherProject,
  { address, here, page }: Place,
): Promise<Part> {
  const list = await api.list(PipelineBasic, `${address}/pipelines`, { page })
  return () =>
    rows({
      list,
      page,
      address: here,
      none: 'No pipeline ran for it. A file named .gitlab-ci.yml says what a push sets in motion.',
      row: (pipeline) => pipelineRow(pipeline, html`<code>${pipeline.sha.slice(0, 8)}</code>`),
    })
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

const lastPipeline = ({ head_pipeline: pipeline }: MergeRequest): Html | undefined =>
  pipeline === null
    ? undefined
    : html`<a href="${pathIn(pipeline.web_url)}">${ciStatus(pipeline.status)} #${pipeline.id}</a>`

/** Who merged it, when, and into what commit. */
function merged(project: EitherProject, request: MergeRequest): readonly Fact[] {
  const { merge_user, merged_at, merge_commit_sha, squash_commit_sha } = request
  const sha = merge_commit_sha ?? squash_commit_sha
  return [
    ['Merged by', merge_user === null ? undefined : person(merge_user)],
    ['Merged', merged_at === null ? undefined : since(merged_at)],
    [
      'Commit',
      sha === null
        ? undefined
        : html`<a href="${pageOf(project, `commit/${sha}`)}"><code>${sha.slice(0, 8)}</code></a>`,
    ],
  ]
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
