import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { ReviewState } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { unauthorized } from '#platform/refusals.ts'
import { dayOf } from '#platform/http/time.ts'
import { touch } from '#planning/noteables/touch.ts'
import { aboutMergeRequest } from '../facts-about.ts'
import type { MergeRequestRow } from '../queries.ts'
import type { ApprovalSettings } from './settings.ts'
import { ruleNamesUser, rulesOfOne } from './sql.ts'

/** Who wants to approve, and what decides about it besides the rules. */
export interface Approver {
  readonly id: number
  /** Whether their role is enough, without a rule that names them. */
  readonly isDeveloper: boolean
  readonly settings: ApprovalSettings
  /** Addresses of those who committed, in lower case; only where they count. */
  readonly committers: readonly string[]
}

/** Whether somebody may approve a merge request now. */
export async function mayApprove(
  db: Db | Tx['db'],
  { id, state, author_id }: Pick<MergeRequestRow, 'id' | 'state' | 'author_id'>,
  { id: userId, isDeveloper, settings, committers }: Approver,
  today: string,
): Promise<boolean> {
  if (state !== 'opened') return false
  if (author_id === userId && !settings.merge_requests_author_approval) return false
  const { rows } = await sql<{ approved: boolean; named: boolean; committed: boolean }>`
    select
      exists (select 1 from merge_request_approvals a where a.merge_request_id = mr.id and a.user_id = ${userId}) as approved,
      exists (select 1 from ${rulesOfOne} r where ${ruleNamesUser(sql`${userId}::bigint`, today)}) as named,
      exists (select 1 from users u where u.id = ${userId}
        and (lower(u.email) = any(${[...committers]}::text[]) or lower(u.commit_email) = any(${[...committers]}::text[])))
        as committed
    from merge_requests mr where mr.id = ${id}`.execute(db)
  const [found] = rows
  return found !== undefined && !found.approved && !found.committed && (isDeveloper || found.named)
}

/**
 * Approves a merge request, which is locked, as the transaction's author.
 * @throws 401 for those who may not, and for a second time
 */
export async function approve(tx: Tx, mergeRequest: MergeRequestRow, approver: Approver): Promise<void> {
  if (!(await mayApprove(tx.db, mergeRequest, approver, dayOf(tx.now)))) throw unauthorized()
  await tx.db
    .insertInto('merge_request_approvals')
    .values({ merge_request_id: mergeRequest.id, user_id: approver.id, created_at: tx.now })
    .execute()
  await setReview(tx, mergeRequest.id, approver.id, 'approved')
  await touch(tx, mergeRequest.id)
  record(tx, { ...aboutMergeRequest(mergeRequest), name: 'merge request approved', details: {} })
}

/** Takes one's approval back. @returns whether there was one */
export async function unapprove(tx: Tx, mergeRequest: MergeRequestRow, userId: number): Promise<boolean> {
  const gone = await tx.db
    .deleteFrom('merge_request_approvals')
    .where('merge_request_id', '=', mergeRequest.id)
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst()
  if (gone === undefined) return false
  await setReview(tx, mergeRequest.id, userId, 'unapproved')
  await touch(tx, mergeRequest.id)
  record(tx, { ...aboutMergeRequest(mergeRequest), name: 'merge request unapproved', details: {} })
  return true
}

/** Ends the review of a reviewer. @returns whether they are one */
export async function submitReview(
  tx: Tx,
  mergeRequest: MergeRequestRow,
  userId: number,
  state: 'reviewed' | 'requested_changes',
): Promise<boolean> {
  if (!(await setReview(tx, mergeRequest.id, userId, state))) return false
  if (state === 'requested_changes') await unapprove(tx, mergeRequest, userId)
  await setReview(tx, mergeRequest.id, userId, state)
  await touch(tx, mergeRequest.id)
  record(tx, {
    ...aboutMergeRequest(mergeRequest),
    name: 'merge request review submitted',
    details: { state },
  })
  return true
}

/** @returns whether the user is a reviewer */
async function setReview(tx: Tx, id: number, userId: number, state: ReviewState): Promise<boolean> {
  const reviewer = await tx.db
    .updateTable('merge_request_reviewers')
    .set({ state })
    .where('merge_request_id', '=', id)
    .where('user_id', '=', userId)
    .returning('user_id')
    .executeTakeFirst()
  return reviewer !== undefined
}
