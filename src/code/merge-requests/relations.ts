import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { assertFew } from '#planning/noteables/items/assert-few.ts'
import { type Difference, isEmpty, labelDifference } from '#planning/noteables/items/differences.ts'
import type { MergeRequestChanges } from './changes.ts'
import type { MergeRequestRow } from './queries.ts'

interface Person {
  readonly id: number
  readonly username: string
}

type People = 'assignees' | 'reviewers'
const tables = { assignees: 'merge_request_assignees', reviewers: 'merge_request_reviewers' } as const

/** Gives a merge request the wanted assignees and reviewers. @returns what changed; undefined where nothing did */
export async function changePeople(
  tx: Tx,
  mergeRequest: Pick<MergeRequestRow, 'id'> & Readonly<Record<People, readonly Person[]>>,
  { assignee_ids, reviewer_ids }: Pick<MergeRequestChanges, 'assignee_ids' | 'reviewer_ids'>,
): Promise<Partial<Record<People, Difference<Person>>>> {
  const assignees = await changeSome(tx, mergeRequest, 'assignees', assignee_ids)
  const reviewers = await changeSome(tx, mergeRequest, 'reviewers', reviewer_ids)
  return { ...(assignees && { assignees }), ...(reviewers && { reviewers }) }
}

async function changeSome(
  tx: Tx,
  mergeRequest: Pick<MergeRequestRow, 'id'> & Readonly<Record<People, readonly Person[]>>,
  which: People,
  wanted: readonly number[] | undefined,
): Promise<Difference<Person> | undefined> {
  if (wanted === undefined) return undefined
  const before = mergeRequest[which].map(({ id, username }) => ({ id, username }))
  const removed = before.filter(({ id }) => !wanted.includes(id))
  const fresh = wanted.filter((id) => !before.some((one) => one.id === id))
  if (removed.length === 0 && fresh.length === 0) return undefined
  assertFew(which, fresh, before.length - removed.length)
  const table = sql.table(tables[which])
  const gone = removed.map(({ id }) => id)
  const [columns, values] =
    which === 'reviewers' ? [sql`, created_at`, sql`, ${tx.now}::timestamptz`] : [sql``, sql``]
  const { rows } = await sql<Person>`
    with gone as (
      delete from ${table} where merge_request_id = ${mergeRequest.id} and user_id = any(${gone}::bigint[])
    ), added as (
      insert into ${table} (merge_request_id, user_id${columns})
      select ${mergeRequest.id}, unnest(${[...fresh]}::bigint[])${values} returning user_id
    )
    select u.id, u.username from added join users u on u.id = added.user_id order by u.id`.execute(tx.db)
  return { added: rows, removed }
}

/** Gives a merge request the wanted labels. @returns the ids of those that changed; undefined when none did */
export async function changeLabels(
  tx: Tx,
  mergeRequest: Pick<MergeRequestRow, 'id'> & { readonly labels: readonly { readonly id: number }[] },
  changes: MergeRequestChanges,
): Promise<Difference<number> | undefined> {
  const difference = labelDifference(mergeRequest.labels, changes)
  if (isEmpty(difference)) return undefined
  const { added, removed } = difference
  await sql`
    with gone as (
      delete from merge_request_labels where merge_request_id = ${mergeRequest.id} and label_id = any(${removed}::bigint[])
    )
    insert into merge_request_labels (merge_request_id, label_id)
    select ${mergeRequest.id}, unnest(${added}::bigint[])`.execute(tx.db)
  return difference
}
