import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import type { Fact } from '#platform/facts/fact.ts'
import { record } from '#platform/facts/record.ts'
import { touch } from '#planning/noteables/touch.ts'
import { assertMayShowIssue } from '#planning/epics/assert-may-show.ts'
import type { IssueChanges } from './changes.ts'
import { checkTitle } from '#planning/noteables/items/check-title.ts'
import { addAssignees, addLabels } from './create-issue.ts'
import { assertFew } from '#planning/noteables/items/assert-few.ts'
import {
  closedBy,
  type Difference,
  isEmpty,
  labelDifference,
  stateAfter,
} from '#planning/noteables/items/differences.ts'
import type { IssueRow } from './queries.ts'

/** What {@link lockIssue} found: a locked issue. */
type Locked = Pick<
  IssueRow,
  | 'id'
  | 'namespace_id'
  | 'title'
  | 'description'
  | 'state'
  | 'issue_type'
  | 'assignees'
  | 'labels'
  | 'milestone_id'
  | 'due_date'
  | 'confidential'
  | 'discussion_locked'
  | 'weight'
>

/**
 * Applies the given changes that differ from the issue, and records each; the rest stays.
 * @param updatedAt the time of the change, from callers who may set it.
 * @returns whether anything changed.
 * @throws 400 for an unacceptable title, and for too many labels or assignees.
 */
export async function updateIssue(
  tx: Tx,
  issue: Locked,
  changes: IssueChanges,
  updatedAt?: string,
): Promise<boolean> {
  const title = changes.title === undefined ? issue.title : checkTitle(changes.title)
  const next = {
    title,
    description: changes.description === undefined ? issue.description : changes.description,
    state: stateAfter(issue.state, changes.state_event),
    issue_type: changes.issue_type ?? issue.issue_type,
    milestone_id: changes.milestone_id === undefined ? issue.milestone_id : changes.milestone_id,
    due_date: changes.due_date === undefined ? issue.due_date : changes.due_date,
    confidential: changes.confidential ?? issue.confidential,
    discussion_locked: changes.discussion_locked ?? issue.discussion_locked,
    weight: changes.weight === undefined ? issue.weight : changes.weight,
  }
  if (issue.confidential && !next.confidential) await assertMayShowIssue(tx, issue.id)
  const people = await changeAssignees(tx, issue, changes.assignee_ids)
  const labels = await changeLabels(tx, issue, changes)
  const facts = factsOf(issue, next, { people, labels })
  if (facts.length === 0 && updatedAt === undefined) return false
  await writeColumns(tx, issue, next)
  await touch(tx, issue.id, updatedAt)
  for (const fact of facts) record(tx, fact)
  return true
}

/** Writes the columns that change, if any. Leaving the others out keeps their indexes untouched. */
async function writeColumns(tx: Tx, issue: Locked, next: Next): Promise<void> {
  const columns = differing(issue, next)
  if (Object.keys(columns).length === 0) return
  await tx.db
    .updateTable('issues')
    .set({ ...columns, ...closedBy(tx, columns.state) })
    .where('id', '=', issue.id)
    .execute()
}

function differing(issue: Locked, next: Next): Partial<Next> {
  const changed = Object.entries(next).filter(([name, value]) => Reflect.get(issue, name) !== value)
  return Object.fromEntries(changed)
}

type Person = Locked['assignees'][number]

async function changeAssignees(
  tx: Tx,
  issue: Locked,
  wanted: readonly number[] | undefined,
): Promise<Difference<Pick<Person, 'id' | 'username'>>> {
  if (wanted === undefined) return { added: [], removed: [] }
  const before = new Set(issue.assignees.map(({ id }) => id))
  const removed = issue.assignees.filter(({ id }) => !wanted.includes(id))
  const fresh = wanted.filter((id) => !before.has(id))
  assertFew('assignees', fresh, issue.assignees.length - removed.length)
  if (removed.length > 0) {
    await tx.db
      .deleteFrom('issue_assignees')
      .where('issue_id', '=', issue.id)
      .where(sql<boolean>`user_id = any(${removed.map(({ id }) => id)}::bigint[])`)
      .execute()
  }
  return { added: await addAssignees(tx, issue.id, fresh), removed }
}

async function changeLabels(tx: Tx, issue: Locked, changes: IssueChanges): Promise<Difference<number>> {
  const { added, removed } = labelDifference(issue.labels, changes)
  if (removed.length > 0) {
    await tx.db
      .deleteFrom('issue_labels')
      .where('issue_id', '=', issue.id)
      .where(sql<boolean>`label_id = any(${removed}::bigint[])`)
      .execute()
  }
  await addLabels(tx, issue.id, added)
  return { added, removed }
}

type Next = Pick<
  Locked,
  | 'title'
  | 'description'
  | 'state'
  | 'issue_type'
  | 'milestone_id'
  | 'due_date'
  | 'confidential'
  | 'discussion_locked'
  | 'weight'
>

interface Relations {
  readonly people: Difference<Pick<Person, 'id' | 'username'>>
  readonly labels: Difference<number>
}

/** The domain events of the change, in the order in which people read them. */
function factsOf(issue: Locked, next: Next, { people, labels }: Relations): Fact[] {
  const about = { namespace: issue.namespace_id, target: { type: 'Issue', id: issue.id } }
  const facts: Fact[] = []
  const changed = (key: keyof Next) => issue[key] !== next[key]
  const { from, to } = { from: issue, to: next }
  if (changed('title'))
    facts.push({ ...about, name: 'issue retitled', details: { from: from.title, to: to.title } })
  if (changed('description')) facts.push({ ...about, name: 'issue description changed', details: {} })
  if (changed('issue_type')) {
    const details = { from: from.issue_type, to: to.issue_type }
    facts.push({ ...about, name: 'issue type changed', details })
  }
  if (!isEmpty(people)) {
    const names = ({ id, username }: Pick<Person, 'id' | 'username'>) => ({ id, username })
    const details = { added: people.added.map(names), removed: people.removed.map(names) }
    facts.push({ ...about, name: 'issue assignees changed', details })
  }
  if (!isEmpty(labels)) facts.push({ ...about, name: 'issue labels changed', details: labels })
  if (changed('milestone_id')) {
    const details = { from: from.milestone_id, to: to.milestone_id }
    facts.push({ ...about, name: 'issue milestone changed', details })
  }
  if (changed('due_date')) {
    const details = { from: from.due_date, to: to.due_date }
    facts.push({ ...about, name: 'issue due date changed', details })
  }
  if (changed('weight')) {
    const details = { from: from.weight, to: to.weight }
    facts.push({ ...about, name: 'issue weight changed', details })
  }
  if (changed('confidential')) {
    const details = { confidential: to.confidential }
    facts.push({ ...about, name: 'issue confidentiality changed', details })
  }
  if ((from.discussion_locked ?? false) !== (to.discussion_locked ?? false)) {
    const details = { locked: to.discussion_locked ?? false }
    facts.push({ ...about, name: 'issue lock changed', details })
  }
  if (changed('state')) {
    const name = to.state === 'closed' ? 'issue closed' : 'issue reopened'
    facts.push({ ...about, name, details: {} })
  }
  return facts
}
