import type { RawBuilder } from 'kysely'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Lease } from '#platform/jobs/lease.ts'
import type { RowRemover } from '#platform/jobs/remove-rows.ts'
import type { JobContext } from '#platform/jobs/task.ts'

/**
 * What an account must give up before it is deleted.
 * @param hard whether what it made goes with it.
 * @throws 409 when the account is still needed and `hard` is false.
 */
export type BeforeUserDeletion = (tx: Tx, userId: number, hard: boolean) => Promise<void>

export const beforeUserDeletions = new ExtensionPoint<BeforeUserDeletion>(
  'the list of what precedes deletions of users',
)

/** The removal of a deleted account, as the job runs it. */
export interface UserRemoval {
  readonly userId: number
  /** Who gets what the account wrote; null when that goes, too. */
  readonly heir: number | null
  readonly job: JobContext
  readonly lease: Lease
  readonly remover: RowRemover
}

/** Removes or hands over, in batches, what needs more than its foreign key says; a run that was cut short runs again. */
export type UserRemovalStep = (removal: UserRemoval) => Promise<void>

export const userRemovalSteps = new ExtensionPoint<UserRemovalStep>('the list of steps of removing a user')

/** A column of `GET /user_counts`: how much waits for the viewer. */
export interface UserCount {
  readonly field: 'assigned_issues' | 'assigned_merge_requests' | 'review_requested_merge_requests' | 'todos'
  column(db: Db, viewer: Viewer & { readonly id: number }): RawBuilder<number>
}

export const userCounts = new ExtensionPoint<UserCount>('the list of counts of a user')

/** A column of `GET /users/:id/associations_count`: how much somebody wrote that the viewer may see. */
export interface AssociationCount {
  readonly field: 'issues_count' | 'merge_requests_count'
  column(db: Db, viewer: Viewer, userId: number): RawBuilder<number>
}

export const associationCounts = new ExtensionPoint<AssociationCount>(
  'the list of counts of what a user wrote',
)
