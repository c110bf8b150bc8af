import { type Insertable, sql } from 'kysely'
import type { DB } from '#platform/db/schema.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { onlyOne } from '#platform/sequences.ts'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import { takingIid } from '#identity/namespaces/next-iid.ts'
import type { IssueChanges } from './changes.ts'
import { checkTitle } from '#planning/noteables/items/check-title.ts'
import { assertFew } from '#planning/noteables/items/assert-few.ts'
import type { IssueSeverity } from './severity.ts'

interface Project {
  readonly id: number
  readonly namespace_id: number
}

export interface NewIssue extends Omit<IssueChanges, 'title' | 'state_event' | 'remove_label_ids'> {
  readonly title: string
  /** The requested number; only for callers who may set it. */
  readonly iid?: number | null | undefined
  /** The requested time of creation; only for callers who may set it. */
  readonly created_at?: string | undefined
  /** How bad it is. Only incidents that come of alerts have one. */
  readonly severity?: IssueSeverity | null
  /** The request's user agent, for administrators who look into abuse. */
  readonly user_agent?: string | null | undefined
}

/**
 * Opens an issue as the transaction's author.
 * @param issue all rows that it refers to are locked (resolve-changes.ts).
 * @throws 400 for an unacceptable title and for too many labels or assignees, 409 for an `iid` that is taken.
 */
export async function createIssue(
  tx: Tx,
  project: Project,
  { title: given, iid: wanted = null, created_at, user_agent, ...issue }: NewIssue,
): Promise<{ id: number; iid: number }> {
  if (tx.author === null) throw new Error('An issue needs an author')
  const title = checkTitle(given)
  const at = created_at ?? tx.now
  const assignees = issue.assignee_ids ?? []
  const labels = [...new Set([...(issue.label_ids ?? []), ...(issue.add_label_ids ?? [])])]
  assertFew('assignees', assignees, 0)
  assertFew('labels', labels, 0)
  // The counter's row stays locked until the commit, so that numbers have no gaps. So this comes after everything that
  // might have to wait.
  const inserted = await insertion(tx.db, {
    namespace_id: project.namespace_id,
    project_id: project.id,
    wanted,
    title,
    author_id: tx.author.id,
    description: issue.description ?? null,
    issue_type: issue.issue_type ?? 'issue',
    milestone_id: issue.milestone_id ?? null,
    confidential: issue.confidential ?? false,
    discussion_locked: issue.discussion_locked ?? null,
    due_date: issue.due_date ?? null,
    weight: issue.weight ?? null,
    severity: issue.severity ?? null,
    created_at: at,
    user_agent: user_agent ?? null,
    ip: tx.ip,
  })
  const { id, iid } = onlyOne(inserted)
  const assigned = await addAssignees(tx, id, assignees)
  await addLabels(tx, id, labels)
  const target = { type: 'Issue', id }
  const fact = { namespace: project.namespace_id, target }
  record(tx, { ...fact, name: 'issue created', details: { iid, title } })
  if (assigned.length > 0) {
    record(tx, {
      ...fact,
      name: 'issue assignees changed',
      details: { added: assigned, removed: [], at_creation: true },
    })
  }
  if (labels.length > 0) {
    record(tx, {
      ...fact,
      name: 'issue labels changed',
      details: { added: labels, removed: [], at_creation: true },
    })
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

/** The columns of a new issue. */
type IssueValues = Required<Pick<Insertable<DB['issues']>, (typeof columns)[number]>>

/** All but its number. */
const columns = [
  'project_id',
  'title',
  'author_id',
  'description',
  'issue_type',
  'milestone_id',
  'confidential',
  'discussion_locked',
  'due_date',
  'weight',
  'severity',
  'created_at',
  'user_agent',
  'ip',
] as const satisfies (keyof DB['issues'])[]

/** Takes the next number, or the one that is wanted, and inserts an issue and its noteable. */
const insertion = statement({
  name: 'insert issue',
  build: (
    _,
    param: Params<IssueValues & Pick<Project, 'namespace_id'> & { readonly wanted: number | null }>,
  ) => {
    const values = sql.join(columns.map((column) => param(column)))
    const noteable = {
      kind: 'issue',
      namespaceId: param('namespace_id'),
      updatedAt: param('created_at'),
    } as const
    return sql<{ id: number; iid: number }>`
      with taken as (${takingIid(param('namespace_id'), 'issue', param('wanted'))}), issue as (
        insert into issues (iid, ${sql.join(columns.map((column) => sql.ref(column)))})
          values ((select iid from taken), ${values}) returning id, iid
      ), noteable as ${insertNoteables('issue', noteable)}
      select id, iid from issue`
  },
})

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

export async function addLabels(tx: Tx, issue: number, labels: readonly number[]): Promise<void> {
  if (labels.length > 0) await labeling(tx.db, { issue, labels })
}

const labeling = statement({
  name: 'label issue',
  build: (_, param: Params<{ readonly issue: number; readonly labels: readonly number[] }>) => sql`
    insert into issue_labels (issue_id, label_id)
    select ${param('issue')}::bigint, unnest(${param('labels')}::bigint[])`,
  deferred: true,
})
