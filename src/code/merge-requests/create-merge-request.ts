import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import type { Fact } from '#platform/facts/fact.ts'
import { record } from '#platform/facts/record.ts'
import { Conflict } from '#platform/refusals.ts'
import { onlyOne } from '#platform/sequences.ts'
import { nextIid } from '#identity/namespaces/next-iid.ts'
import { checkTitle } from '#planning/noteables/items/check-title.ts'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import type { Branches, Comparison } from './branches.ts'
import type { MergeRequestChanges } from './changes.ts'
import { aboutMergeRequest } from './facts-about.ts'
import { checkNow } from './merge/check-mergeability.ts'
import { afterOpening } from './extension-points.ts'
import { changeLabels, changePeople } from './relations.ts'

export interface NewMergeRequest extends Omit<
  MergeRequestChanges,
  'title' | 'state_event' | 'target_branch'
> {
  readonly title: string
  readonly branches: Branches
  readonly comparison: Comparison
}

/**
 * Opens a merge request as the transaction's author.
 * @param target the project that gets the changes.
 * @throws 400 for an unacceptable title, 409 when an open one has the same branches.
 */
export async function createMergeRequest(
  tx: Tx,
  target: { readonly id: number; readonly namespace_id: number },
  wanted: NewMergeRequest,
): Promise<{ readonly id: number; readonly iid: number }> {
  if (tx.author === null) throw new Error('A merge request needs an author')
  const title = checkTitle(wanted.title)
  const { branches, comparison } = wanted
  const iid = await nextIid(tx, target.namespace_id, 'merge_request')
  await assertOnly(tx, branches)
  const columns = {
    project_id: target.id,
    source_project_id: branches.source.project,
    iid,
    title,
    description: wanted.description ?? null,
    author_id: tx.author.id,
    milestone_id: wanted.milestone_id ?? null,
    source_branch: branches.source.branch,
    target_branch: branches.target.branch,
    ...comparison,
    squash: wanted.squash ?? false,
    remove_source_branch: wanted.remove_source_branch ?? null,
    allow_collaboration: wanted.allow_collaboration ?? false,
    merge_after: wanted.merge_after ?? null,
    approvals_required: wanted.approvals_required ?? null,
    merge_status: 'checking',
    created_at: tx.now,
  }
  const { rows } = await sql<{ id: number }>`
    with made as (
      insert into merge_requests (${sql.join(Object.keys(columns).map((name) => sql.ref(name)))})
      values (${sql.join(Object.values(columns))}) returning id
    ), noteable as ${insertNoteables('made', { kind: 'merge_request', namespaceId: target.namespace_id, updatedAt: tx.now })}
    select id from made`.execute(tx.db)
  const made = onlyOne(rows)
  await insertVersion(tx, made.id, comparison)
  await checkNow(tx, [made])
  for (const follow of afterOpening.entries) await follow(tx, made.id)
  const about = aboutMergeRequest({ id: made.id, namespace_id: target.namespace_id })
  const people = await changePeople(tx, { id: made.id, assignees: [], reviewers: [] }, wanted)
  const labels = await changeLabels(tx, { id: made.id, labels: [] }, wanted)
  const facts: Fact[] = [{ ...about, name: 'merge request created', details: { iid, title } }]
  if (people.assignees !== undefined)
    facts.push({ ...about, name: 'merge request assignees changed', details: first(people.assignees) })
  if (people.reviewers !== undefined)
    facts.push({ ...about, name: 'merge request reviewers changed', details: first(people.reviewers) })
  if (labels !== undefined)
    facts.push({ ...about, name: 'merge request labels changed', details: first(labels) })
  const milestone = wanted.milestone_id ?? null
  if (milestone !== null)
    facts.push({ ...about, name: 'merge request milestone changed', details: { from: null, to: milestone } })
  record(tx, ...facts)
  return { id: made.id, iid }
}

const first = <T extends object>(people: T) => ({ ...people, at_creation: true as const })

/** Writes down a state of the source branch. */
export async function insertVersion(tx: Tx, id: number, comparison: Comparison): Promise<void> {
  await tx.db
    .insertInto('merge_request_versions')
    .values({ merge_request_id: id, ...comparison, created_at: tx.now })
    .execute()
}

/**
 * Whoever opens one holds the counter of the target project, so nobody else does at the same time.
 * @throws 409 when an open merge request has these branches
 */
export async function assertOnly(tx: Tx, { source, target }: Branches): Promise<void> {
  const other = await tx.db
    .selectFrom('merge_requests')
    .select('iid')
    .where('state', '=', 'opened')
    .where('source_project_id', '=', source.project)
    .where('source_branch', '=', source.branch)
    .where('project_id', '=', target.project)
    .where('target_branch', '=', target.branch)
    .executeTakeFirst()
  if (other === undefined) return
  throw new Conflict([`Another open merge request already exists for this source branch: !${other.iid}`])
}
