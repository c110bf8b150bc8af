import { type RawBuilder, sql } from 'kysely'
import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import { labelAt, milestoneAt, readersAt } from './at-target.ts'

/** The columns that every copy takes from its original. */
const same = [
  'issue_type',
  'title',
  'description',
  'confidential',
  'discussion_locked',
  'due_date',
  'weight',
  'time_estimate',
] as const

/** Columns that a copy may also take from its original. */
export type CopiedColumn =
  | 'author_id'
  | 'state'
  | 'closed_at'
  | 'closed_by_id'
  | 'total_time_spent'
  | 'upvotes'
  | 'downvotes'
  | 'created_at'
  | 'user_agent'
  | 'ip'

/** The columns in which a copy differs from a new issue, with SQL for their values. */
export type Columns = Readonly<Partial<Record<CopiedColumn, RawBuilder<unknown>>>>

/** SQL for the values of the original, for {@link Columns}. */
export const ofOriginal = (column: CopiedColumn): RawBuilder<unknown> => sql.ref(`i.${column}`)

/** The copy of an issue, and the project that it is in. */
export interface Copy {
  readonly id: number
  readonly iid: number
  readonly namespace_id: number
  readonly full_path: string
  readonly milestone_id: number | null
  readonly weight: number | null
}

/**
 * Copies an issue into a project, with the milestone of the same title there. Texts stay as they are.
 * @param iid the number that it gets.
 * @param withNotes whether its notes will be copied, too; then it has their number.
 */
export async function copyIssue(
  tx: Tx,
  issueId: number,
  there: ProjectContainer,
  iid: number,
  columns: Columns,
  withNotes: boolean,
): Promise<Copy> {
  const values = {
    project_id: sql`${there.id}::bigint`,
    iid: sql`${iid}::integer`,
    milestone_id: milestoneAt(there, sql`i.milestone_id`),
    ...Object.fromEntries(same.map((column) => [column, sql.ref(`i.${column}`)])),
    ...columns,
  }
  const noteable = {
    kind: 'issue',
    namespaceId: there.namespace_id,
    updatedAt: tx.now,
    ...(withNotes && { countsOf: issueId }),
  }
  const { rows } = await sql<Pick<Copy, 'id' | 'milestone_id' | 'weight'>>`
    with copy as (
      insert into issues (${sql.join(Object.keys(values).map((column) => sql.ref(column)))})
      select ${sql.join(Object.values(values))} from issues i where i.id = ${issueId}
      returning id, milestone_id, weight
    ), noteable as ${insertNoteables('copy', noteable)}
    select id, milestone_id, weight from copy`.execute(tx.db)
  const [row] = rows
  if (row === undefined) throw new Error(`Issue ${issueId} is gone`)
  return { ...row, iid, namespace_id: there.namespace_id, full_path: there.full_path }
}

/** Assigns a copy to those of the original's assignees who may read it, and copies the mentions in the description. */
export async function copyPeople(
  tx: Tx,
  issueId: number,
  copyId: number,
  there: ProjectContainer,
): Promise<void> {
  const assignees = sql`select user_id from issue_assignees where issue_id = ${issueId}`
  const named = sql`select user_id from user_mentions where noteable_id = ${issueId} and note_id is null`
  await sql`
    with named as (
      insert into user_mentions (noteable_id, user_id)
      select ${copyId}::bigint, unnest(${readersAt(tx, there, named)})
    )
    insert into issue_assignees (issue_id, user_id)
    select ${copyId}::bigint, unnest(${readersAt(tx, there, assignees)})`.execute(tx.db)
}

/** Gives a copy the labels of the same names. @returns their ids. */
export async function copyLabels(
  tx: Tx,
  issueId: number,
  copyId: number,
  there: ProjectContainer,
): Promise<number[]> {
  const { rows } = await sql<{ label_id: number }>`
    insert into issue_labels (issue_id, label_id)
    select distinct ${copyId}::bigint, own.id
    from issue_labels c cross join lateral (select ${labelAt(there, sql`c.label_id`)} as id) own
    where c.issue_id = ${issueId} and own.id is not null
    returning label_id`.execute(tx.db)
  return rows.map(({ label_id }) => label_id)
}
