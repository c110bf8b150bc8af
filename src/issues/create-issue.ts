import { sql } from 'kysely'
import type { Tx } from '#db/transaction.ts'
import { record } from '#facts/record.ts'
import { nextIid } from '#namespaces/next-iid.ts'
import type { IssueChanges } from './changes.ts'
import { checkTitle } from './check-title.ts'
import { demandFew } from './demand-few.ts'

interface Project {
  readonly id: number
  readonly namespace_id: number
}

export interface NewIssue extends Omit<IssueChanges, 'title' | 'state_event' | 'remove_label_ids'> {
  readonly title: string
  /** A number that was given out to it already (namespaces/next-iid.ts). */
  readonly iid?: number | undefined
  /** Only from those entitled: when it is to have been made. */
  readonly created_at?: string | undefined
  /** What the request was sent with, for administrators who look into abuse. */
  readonly user_agent?: string | null
}

/**
 * Opens an issue by the transaction's author.
 * @throws 400 for a title that cannot be one, for an `iid` that is taken, and for too many labels or people.
 */
export async function createIssue(
  tx: Tx,
  project: Project,
  { title: given, iid: number, created_at, user_agent, ...issue }: NewIssue,
): Promise<{ id: number; iid: number }> {
  if (tx.author === null) throw new Error('An issue needs an author')
  const title = checkTitle(given)
  const iid = number ?? (await nextIid(tx, project.namespace_id, 'issue'))
  const made = created_at ?? tx.now
  const assignees = issue.assignee_ids ?? []
  const labels = [...new Set([...(issue.label_ids ?? []), ...(issue.add_label_ids ?? [])])]
  demandFew('assignees', assignees, 0)
  demandFew('labels', labels, 0)
  const { id } = await tx.db
    .insertInto('issues')
    .values({
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
    .returning('id')
    .executeTakeFirstOrThrow()
  await addAssignees(tx, id, assignees)
  await addLabels(tx, id, labels)
  const target = { type: 'Issue', id }
  const fact = { namespace: project.namespace_id, target }
  await record(tx, { ...fact, name: 'issue created', details: { iid, title } })
  if (labels.length > 0) {
    await record(tx, { ...fact, name: 'issue labels changed', details: { added: labels, removed: [] } })
  }
  const milestone = issue.milestone_id ?? null
  if (milestone !== null) {
    await record(tx, { ...fact, name: 'issue milestone changed', details: { from: null, to: milestone } })
  }
  return { id, iid }
}

export async function addAssignees(tx: Tx, issueId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`insert into issue_assignees (issue_id, user_id)
    select ${issueId}, unnest(${[...ids]}::bigint[])`.execute(tx.db)
}

export async function addLabels(tx: Tx, issueId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`insert into issue_labels (issue_id, label_id)
    select ${issueId}, unnest(${[...ids]}::bigint[])`.execute(tx.db)
}
