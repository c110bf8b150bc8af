import { readCommit } from '#code/git/objects.ts'
import { isDraft } from '#code/merge-requests/draft.ts'
import { demandsApprovals } from '#code/merge-requests/approvals/tier.ts'
import { detailedMergeStatus } from '#code/merge-requests/merge-status.ts'
import { readAutoMerge } from '#code/merge-requests/merge/merge-options.ts'
import { mergeRequestsFor, type MergeRequestRow } from '#code/merge-requests/queries.ts'
import { humanTimeOrNull } from '#planning/time/human-time.ts'
import { presentHookCommit } from './commits.ts'
import { everything } from './issues.ts'
import { changed, type ItemChanges, labelChange, peopleChange } from './item-changes.ts'
import { type BuildContext, payloadKind, type HookPayload, type StoredFact } from './kind.ts'
import {
  findLabels,
  findProject,
  findUser,
  type HookProject,
  personOf,
  shortRepository,
  utc,
  utcOrNull,
} from './shapes.ts'

const mergeRequestFacts = [
  'merge request created',
  'merge request retitled',
  'merge request description changed',
  'merge request target branch changed',
  'merge request assignees changed',
  'merge request reviewers changed',
  'merge request labels changed',
  'merge request milestone changed',
  'merge request lock changed',
  'merge request time estimated',
  'merge request time spent',
  'merge request closed',
  'merge request reopened',
  'merge request merged',
  'merge request commits pushed',
  'merge request threads resolved',
  'merge request approved',
  'merge request unapproved',
] as const

type MergeRequestFact = StoredFact<(typeof mergeRequestFacts)[number]>

/** Merge requests: created, changed, approved, pushed to, merged and closed. */
export const mergeRequestPayloads = payloadKind({
  facts: mergeRequestFacts,
  interestedHooks: () => ({ triggers: ['merge_requests_events'], system: 'triggered' }),
  build: async (facts, context) => {
    const [first] = facts
    const row = await findMergeRequestRow(context, first?.target?.id)
    if (first === undefined || row === undefined) return []
    return mergeRequestPayload(row, facts, context)
  },
})

export async function findMergeRequestRow(
  { db, now }: BuildContext,
  id: number | undefined,
): Promise<MergeRequestRow | undefined> {
  if (id === undefined) return undefined
  return mergeRequestsFor(db, everything(now))
    .where('mr.id', '=', id)
    .where('n.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** @param facts what happened; none for a sample of a merge request that was just created */
export async function mergeRequestPayload(
  row: MergeRequestRow,
  facts: readonly MergeRequestFact[],
  context: BuildContext,
): Promise<readonly HookPayload[]> {
  const project = await findProject(context, row.project_id)
  if (project === undefined) return []
  const user = await findUser(context, facts[0]?.actorId ?? row.author_id)
  const assignees = row.assignees.map((person) => personOf(context.site, person))
  const reviewers = row.reviewers.map((person) => personOf(context.site, person))
  const attributes = await mergeRequestAttributes(row, project, context)
  const changes = await changesOf(row, facts, context)
  const data = {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user,
    project: project.project,
    object_attributes: {
      ...attributes,
      ...asOf(changes),
      ...stateAfter(facts),
      ...timeChange(facts),
      ...oldRevision(facts),
      ...updatedBy(facts),
      action: actionOf(facts),
    },
    labels: attributes.labels,
    changes,
    repository: shortRepository(project),
    ...(assignees.length > 0 && { assignees }),
    ...(reviewers.length > 0 && { reviewers }),
  }
  const common = { triggers: ['merge_requests_events'], name: 'Merge Request Hook', data } as const
  return [
    { ...common, to: 'project and group hooks' },
    { ...common, to: 'system hooks' },
  ]
}

const actions: readonly (readonly [MergeRequestFact['name'], string])[] = [
  ['merge request created', 'open'],
  ['merge request merged', 'merge'],
  ['merge request closed', 'close'],
  ['merge request reopened', 'reopen'],
  ['merge request approved', 'approved'],
  ['merge request unapproved', 'unapproved'],
]

function actionOf(facts: readonly MergeRequestFact[]): string {
  if (facts.length === 0) return 'open'
  return actions.find(([name]) => facts.some((fact) => fact.name === name))?.[1] ?? 'update'
}

const states: Readonly<Record<string, object>> = {
  open: { state: 'opened', state_id: 1 },
  reopen: { state: 'opened', state_id: 1 },
  close: { state: 'closed', state_id: 2 },
  merge: { state: 'merged', state_id: 3 },
}

const stateAfter = (facts: readonly MergeRequestFact[]): object => states[actionOf(facts)] ?? {}

function asOf(changes: ItemChanges): Record<string, unknown> {
  const reportedFields = ['title', 'milestone_id', 'target_branch', 'discussion_locked'] as const
  return Object.fromEntries(
    reportedFields.flatMap((name) => (changes[name] === undefined ? [] : [[name, changes[name].current]])),
  )
}

/** Who has changed it, in the event that tells so. */
const updatedBy = (facts: readonly MergeRequestFact[]) =>
  actionOf(facts) === 'update' ? { updated_by_id: facts[0]?.actorId ?? null } : {}

/** The commit before a push, so that receivers can tell it from other updates. */
function oldRevision(facts: readonly MergeRequestFact[]) {
  const push = facts.find((fact) => fact.name === 'merge request commits pushed')
  return push === undefined ? {} : { oldrev: push.details.before }
}

function timeChange(facts: readonly MergeRequestFact[]) {
  const spent = facts.flatMap((fact) =>
    fact.name === 'merge request time spent' ? [fact.details.seconds ?? 0] : [],
  )
  const time_change = spent.reduce((sum, one) => sum + one, 0)
  return { time_change, human_time_change: humanTimeOrNull(time_change) }
}

const stateIds = { opened: 1, closed: 2, merged: 3, locked: 4 } as const

/** A merge request as payloads about it, and about its notes and reactions, show it. */
export async function mergeRequestAttributes(
  row: MergeRequestRow,
  target: HookProject,
  context: BuildContext,
) {
  const { db, site, now } = context
  const labels = await findLabels(
    db,
    row.labels.map(({ id }) => id),
  )
  const source =
    row.source_project_id === null || row.source_project_id === target.id
      ? target
      : await findProject(context, row.source_project_id)
  const assignee_ids = row.assignees.map(({ id }) => id)
  const draft = isDraft(row.title)
  return {
    id: row.id,
    iid: row.iid,
    target_branch: row.target_branch,
    source_branch: row.source_branch,
    source_project_id: row.source_project_id,
    target_project_id: row.project_id,
    author_id: row.author_id,
    assignee_ids,
    assignee_id: assignee_ids[0] ?? null,
    reviewer_ids: row.reviewers.map(({ id }) => id),
    title: row.title,
    description: row.description,
    created_at: utc(row.created_at),
    updated_at: utc(row.updated_at),
    prepared_at: utc(row.created_at),
    merged_at: utcOrNull(row.merged_at),
    last_edited_at: null,
    last_edited_by_id: null,
    milestone_id: row.milestone_id,
    state_id: stateIds[row.state],
    state: row.state,
    blocking_discussions_resolved: !row.has_threads_to_resolve,
    discussion_locked: row.discussion_locked,
    work_in_progress: draft,
    draft,
    first_contribution: false,
    merge_status: row.merge_status,
    detailed_merge_status: detailedMergeStatus(row, {
      now: now.getTime(),
      demandsApprovals: demandsApprovals(context),
    }),
    merge_commit_sha: row.merge_commit_sha,
    squash_commit_sha: row.squash_commit_sha,
    merge_user_id: row.merge_user?.id ?? null,
    merge_error: row.merge_error,
    merge_params: mergeParams(row),
    merge_when_pipeline_succeeds: row.auto_merge !== null,
    // Nothing runs pipelines here.
    head_pipeline_id: null,
    updated_by_id: null,
    time_estimate: row.time_estimate,
    total_time_spent: row.total_time_spent,
    time_change: 0,
    human_total_time_spent: humanTimeOrNull(row.total_time_spent),
    human_time_change: null,
    human_time_estimate: humanTimeOrNull(row.time_estimate),
    url: `${site}/${row.full_path}/-/merge_requests/${row.iid}`,
    source: source?.project ?? null,
    target: target.project,
    last_commit: await lastCommit(row, target, context),
    labels,
  }
}

/** How it is to be merged; parts that nobody has chosen are left out. */
function mergeParams({ remove_source_branch, auto_merge }: MergeRequestRow) {
  const autoMerge = readAutoMerge(auto_merge)
  return {
    ...(remove_source_branch !== null && { force_remove_source_branch: remove_source_branch }),
    ...(autoMerge && {
      auto_merge_strategy: 'merge_when_checks_pass',
      sha: autoMerge.sha,
      should_remove_source_branch: autoMerge.should_remove_source_branch,
      commit_message: autoMerge.merge_commit_message,
      squash_commit_message: autoMerge.squash_commit_message,
    }),
  }
}

async function lastCommit(
  { project_id, head_sha }: MergeRequestRow,
  { url }: HookProject,
  context: BuildContext,
) {
  const repository = await context.repositories.ofProject(project_id)
  const commit = repository && (await readCommit(repository, head_sha))
  return commit === undefined ? null : presentHookCommit(commit, url)
}

async function changesOf(
  row: MergeRequestRow,
  facts: readonly MergeRequestFact[],
  context: BuildContext,
): Promise<ItemChanges> {
  const changes: ItemChanges = {}
  if (facts.length === 0 || facts.some(({ name }) => name === 'merge request created')) return {}
  for (const { name, details } of facts) {
    if (name === 'merge request retitled') {
      changes['title'] = changed(details.from, details.to)
      const [was, is] = [isDraft(details.from), isDraft(details.to)]
      if (was !== is) changes['draft'] = changed(was, is)
    }
    if (name === 'merge request target branch changed') {
      changes['target_branch'] = changed(details.from, details.to)
    }
    if (name === 'merge request milestone changed') {
      changes['milestone_id'] = changed(details.from, details.to)
    }
    if (name === 'merge request lock changed') {
      changes['discussion_locked'] = changed(!details.locked, details.locked)
    }
    if (name === 'merge request description changed') changes['description'] = changed(null, row.description)
    if (name === 'merge request time estimated') changes['time_estimate'] = changed(null, details.seconds)
    if (name === 'merge request time spent') changes['total_time_spent'] = changed(null, row.total_time_spent)
    if (name === 'merge request closed') changes['state_id'] = changed(1, 2)
    if (name === 'merge request reopened') changes['state_id'] = changed(2, 1)
    if (name === 'merge request merged') changes['state_id'] = changed(1, 3)
  }
  const labels = facts.flatMap((fact) => (fact.name === 'merge request labels changed' ? [fact.details] : []))
  if (labels.length > 0) {
    const now = row.labels.map(({ id }) => id)
    changes['labels'] = await labelChange(context.db, now, labels)
  }
  for (const [field, name] of [
    ['assignees', 'merge request assignees changed'],
    ['reviewers', 'merge request reviewers changed'],
  ] as const) {
    const people = facts.flatMap((fact) => (fact.name === name ? [fact.details] : []))
    if (people.length === 0) continue
    const now = row[field].map((person) => personOf(context.site, person))
    changes[field] = await peopleChange(context, now, people)
  }
  return changes
}
