import { sql } from 'kysely'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Fact } from '#platform/facts/fact.ts'
import { record } from '#platform/facts/record.ts'
import { touch } from '#planning/noteables/touch.ts'
import { assertMayShowIssue } from '#planning/epics/assert-may-show.ts'
import type { IssueChanges } from './changes.ts'
import { checkTitle } from '#planning/noteables/items/check-title.ts'
import { addAssignees } from './create-issue.ts'
import { assertFew } from '#planning/noteables/items/assert-few.ts'
import {
  closedBy,
  type Difference,
  isEmpty,
  labelDifference,
  stateAfter,
} from '#planning/noteables/items/differences.ts'
import type { LockedIssue } from './lock-issue.ts'

/** What {@link lockIssueForChange} found: a locked issue. */
type Locked = Pick<
  LockedIssue,
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
  const changed = Object.keys(columns)
  if (changed.length === 0) return
  const values = { ...columns, ...closedBy(tx, columns.state) }
  if (changed.length <= FEW) {
    await writing(tx.db, { ...values, id: issue.id }, { columns: Object.keys(values).join() })
  } else {
    await tx.db.updateTable('issues').set(values).where('id', '=', issue.id).execute()
  }
}

/** How many columns a change may have for its statement to be kept: PostgreSQL keeps one for each set of columns. */
const FEW = 2

const writing = statement({
  name: 'change issue',
  build: (_, param: Params<Readonly<Record<string, unknown>>>, { columns }: { readonly columns: string }) => {
    const set = columns.split(',').map((column) => sql`${sql.ref(column)} = ${param(column)}`)
    return sql`update issues set ${sql.join(set)} where id = ${param('id')}`
  },
  deferred: true,
})

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
  const difference = labelDifference(issue.labels, changes)
  if (!isEmpty(difference)) await relabeling(tx.db, { id: issue.id, ...difference })
  return difference
}

const relabeling = statement({
  name: 'change labels of an issue',
  build: (_, param: Params<{ readonly id: number } & Difference<number>>) => sql`
    with gone as (
      delete from issue_labels where issue_id = ${param('id')} and label_id = any((select ${param('removed')}::bigint[])::bigint[])
    )
    insert into issue_labels (issue_id, label_id)
      select ${param('id')}::bigint, unnest(${param('added')}::bigint[])`,
  deferred: true,
})

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
