import type { RawBuilder } from 'kysely'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Lease } from '#platform/jobs/lease.ts'
import type { RowRemover } from '#platform/jobs/remove-rows.ts'
import type { JobContext } from '#platform/jobs/task.ts'

/**
 * A check before an account is deleted.
 * @param hard whether everything that it made is deleted, too.
 * @throws 409 when the account is still needed and `hard` is false.
 */
export type BeforeUserDeletion = (tx: Tx, userId: number, hard: boolean) => Promise<void>

export const beforeUserDeletions = new ExtensionPoint<BeforeUserDeletion>(
  'the list of what precedes deletions of users',
)

/** A deleted account, as the job removes it. */
export interface UserRemoval {
  readonly userId: number
  /** The user who gets what the account wrote; null when that is deleted, too. */
  readonly heir: number | null
  readonly job: JobContext
  readonly lease: Lease
  readonly remover: RowRemover
}

/** Removes or hands over, in batches, what foreign keys do not cover. An interrupted run starts again. */
export type UserRemovalStep = (removal: UserRemoval) => Promise<void>

export const userRemovalSteps = new ExtensionPoint<UserRemovalStep>('the list of steps of removing a user')

/** A column of `GET /user_counts`: how much waits for the viewer. */
export interface UserCount {
  readonly field: 'assigned_issues' | 'assigned_merge_requests' | 'review_requested_merge_requests' | 'todos'
  column(db: Db, viewer: Viewer & { readonly id: number }): RawBuilder<number>
}

export const userCounts = new ExtensionPoint<UserCount>('the list of counts of a user')

/** A column of `GET /users/:id/associations_count`: how much the user wrote that the viewer may see. */
export interface AssociationCount {
  readonly field: 'issues_count' | 'merge_requests_count'
  column(db: Db, viewer: Viewer, userId: number): RawBuilder<number>
}

export const associationCounts = new ExtensionPoint<AssociationCount>(
  'the list of counts of what a user wrote',
)
