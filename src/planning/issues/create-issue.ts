import { type Insertable, sql } from 'kysely'
import type { DB } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import { nextIid } from '#identity/namespaces/next-iid.ts'
import type { IssueChanges } from './changes.ts'
import { checkTitle } from './check-title.ts'
import { demandFew } from './demand-few.ts'

interface Project {
  readonly id: number
  readonly namespace_id: number
}

export interface NewIssue extends Omit<IssueChanges, 'title' | 'state_event' | 'remove_label_ids'> {
  readonly title: string
  /** Only from those entitled: the number that it is to have. */
  readonly iid?: number | null | undefined
  /** Only from those entitled: when it is to have been made. */
  readonly created_at?: string | undefined
  /** What the request was sent with, for administrators who look into abuse. */
  readonly user_agent?: string | null
}

/**
 * Opens an issue by the transaction's author.
 * @param issue what it refers to is locked (resolve-changes.ts).
 * @throws 400 for a title that cannot be one, for an `iid` that is taken, and for too many labels or people.
 */
export async function createIssue(
  tx: Tx,
  project: Project,
  { title: given, iid: wanted = null, created_at, user_agent, ...issue }: NewIssue,
): Promise<{ id: number; iid: number }> {
  if (tx.author === null) throw new Error('An issue needs an author')
  const title = checkTitle(given)
  // Its row is held until the commit, so that numbers have no gaps: it comes after all that might have to be waited for.
  const iid = await nextIid(tx, project.namespace_id, 'issue', wanted)
  const made = created_at ?? tx.now
  const assignees = issue.assignee_ids ?? []
  const labels = [...new Set([...(issue.label_ids ?? []), ...(issue.add_label_ids ?? [])])]
  demandFew('assignees', assignees, 0)
  demandFew('labels', labels, 0)
  const { id } = await insertIssue(tx, project, {
    project_id: project.id,
    iid,
    title,
    author_id: tx.author.id,
    description: issue.description ?? null,
    issue_type: issue.issue_type ?? 'issue',
    milestone_id: issue.milestone_id ?? null,
    confidential: issue.confidential ?? false,
    discussion_locked: issue.discussion_locked ?? null,
    due_date: issue.due_date ?? null,
    weight: issue.weight ?? null,
    created_at: made,
    updated_at: made,
    user_agent: user_agent ?? null,
    ip: tx.ip,
  })
  const assigned = await addAssignees(tx, id, assignees)
  await addLabels(tx, id, labels)
  const target = { type: 'Issue', id }
  const fact = { namespace: project.namespace_id, target }
  record(tx, { ...fact, name: 'issue created', details: { iid, title } })
  if (assigned.length > 0) {
    record(tx, {
      ...fact,
      name: 'issue assignees changed',
      details: { added: assigned, removed: [] },
    })
  }
  if (labels.length > 0) {
    record(tx, { ...fact, name: 'issue labels changed', details: { added: labels, removed: [] } })
  }
  const milestone = issue.milestone_id ?? null
  if (milestone !== null) {
    record(tx, { ...fact, name: 'issue milestone changed', details: { from: null, to: milestone } })
  }
  const weight = issue.weight ?? null
  if (weight !== null) {
    record(tx, { ...fact, name: 'issue weight changed', details: { from: null, to: weight } })
  }
  return { id, iid }
}

/** An issue and its noteable. */
function insertIssue(
  { db }: Tx,
  { namespace_id }: Project,
  values: Insertable<DB['issues']>,
): Promise<{ id: number }> {
  return db
    .with('issue', (on) => on.insertInto('issues').values(values).returning('id'))
    .with('noteable', () => insertNoteables('issue', 'issue', namespace_id))
    .selectFrom('issue')
    .select('id')
    .executeTakeFirstOrThrow()
}

interface Person {
  readonly id: number
  readonly username: string
}

/** Assigns people to an issue. @returns them, by id. */
export async function addAssignees(tx: Tx, issueId: number, ids: readonly number[]): Promise<Person[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Person>`
    with added as (
      insert into issue_assignees (issue_id, user_id) select ${issueId}, unnest(${[...ids]}::bigint[]) returning user_id
    )
    select u.id, u.username from added join users u on u.id = added.user_id order by u.id`.execute(tx.db)
  return rows
}

export async function addLabels(tx: Tx, issueId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`insert into issue_labels (issue_id, label_id)
    select ${issueId}, unnest(${[...ids]}::bigint[])`.execute(tx.db)
}
