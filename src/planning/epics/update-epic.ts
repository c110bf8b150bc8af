import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import type { Fact } from '#platform/facts/fact.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import {
  closedBy,
  type Difference,
  isEmpty,
  labelDifference,
  stateAfter,
} from '#planning/noteables/items/differences.ts'
import { lockReferencedRows } from '#planning/noteables/items/lock-referred.ts'
import { checkTitle } from '#planning/noteables/items/check-title.ts'
import { checkColor } from '#planning/labels/create-label.ts'
import { touch } from '#planning/noteables/touch.ts'
import type { EpicChanges } from './changes.ts'
import { addLabels } from './create-epic.ts'
import { aboutEpic } from './facts-about.ts'
import type { EpicRow } from './queries.ts'
import { refreshDates } from './refresh-dates.ts'

const columns = [
  'title',
  'description',
  'state',
  'confidential',
  'color',
  'start_date_is_fixed',
  'start_date_fixed',
  'due_date_is_fixed',
  'due_date_fixed',
] as const

type Next = Pick<EpicRow, (typeof columns)[number]>

/**
 * Applies the given changes that differ from the epic, and records each; the rest stays.
 * @param epic is locked.
 * @param updatedAt the time of the change, from callers who may set it.
 * @returns whether anything changed.
 * @throws 400 for an unacceptable title or color, too many labels, and a confidentiality that its tree forbids.
 */
export async function updateEpic(
  tx: Tx,
  epic: EpicRow,
  changes: EpicChanges,
  updatedAt?: string,
): Promise<boolean> {
  const next = nextOf(epic, changes)
  if (next.confidential !== epic.confidential) await assertMayBe(tx, epic, next.confidential)
  const labels = await changeLabels(tx, epic, changes)
  const facts = factsOf(epic, next, labels)
  const differing = Object.fromEntries(
    columns.filter((name) => next[name] !== epic[name]).map((name) => [name, next[name]]),
  )
  const changed = facts.length > 0 || Object.keys(differing).length > 0
  if (!changed && updatedAt === undefined) return false
  await writeColumns(tx, epic, differing)
  await touch(tx, epic.id, updatedAt)
  const dated = facts.some(
    ({ name }) => name === 'epic start date changed' || name === 'epic due date changed',
  )
  if (dated && epic.own_parent_id !== null) await refreshDates(tx, [epic.own_parent_id])
  record(tx, ...facts)
  return true
}

function nextOf(epic: EpicRow, changes: EpicChanges): Next {
  const { state_event, title, color } = changes
  return {
    title: title === undefined ? epic.title : checkTitle(title),
    description: changes.description === undefined ? epic.description : changes.description,
    state: stateAfter(epic.state, state_event),
    confidential: changes.confidential ?? epic.confidential,
    color: color === undefined ? epic.color : checkColor(color),
    start_date_is_fixed: changes.start_date_is_fixed ?? epic.start_date_is_fixed,
    start_date_fixed:
      changes.start_date_fixed === undefined ? epic.start_date_fixed : changes.start_date_fixed,
    due_date_is_fixed: changes.due_date_is_fixed ?? epic.due_date_is_fixed,
    due_date_fixed: changes.due_date_fixed === undefined ? epic.due_date_fixed : changes.due_date_fixed,
  }
}

/** Writes the columns that change, if any. Leaving the others out keeps their indexes untouched. */
async function writeColumns(tx: Tx, { id }: EpicRow, differing: Partial<Next>): Promise<void> {
  if (Object.keys(differing).length === 0) return
  await tx.db
    .updateTable('epics')
    .set({ ...differing, ...closedBy(tx, differing.state) })
    .where('id', '=', id)
    .execute()
}

/** @throws 400 where an epic would show more than the one above it, or hide less than what is in it */
async function assertMayBe(tx: Tx, { id, own_parent_id }: EpicRow, confidential: boolean): Promise<void> {
  // Nobody makes the one above confidential until this is done.
  if (!confidential && own_parent_id !== null) await lockReferencedRows(tx, { noteables: [own_parent_id] })
  const { rows } = await sql<{ found: boolean }>`select ${
    confidential
      ? sql`exists (select 1 from epics c where c.parent_id = ${id} and not c.confidential)
          or exists (select 1 from epic_issues k join issues i on i.id = k.issue_id
            where k.epic_id = ${id} and not i.confidential)`
      : sql`exists (select 1 from epics p where p.id = ${own_parent_id}::bigint and p.confidential)`
  } as found`.execute(tx.db)
  if (rows[0]?.found !== true) return
  const because = confidential
    ? 'cannot be set for an epic with issues or child epics that are not confidential'
    : 'cannot be removed from an epic below a confidential one'
  throw invalid({ confidential: [because] })
}

async function changeLabels(tx: Tx, epic: EpicRow, changes: EpicChanges): Promise<Difference<number>> {
  const { added, removed } = labelDifference(epic.labels, changes)
  if (removed.length > 0) {
    await tx.db
      .deleteFrom('epic_labels')
      .where('epic_id', '=', epic.id)
      .where(sql<boolean>`label_id = any(${removed}::bigint[])`)
      .execute()
  }
  await addLabels(tx, epic.id, added)
  return { added, removed }
}

/** The date that an epic shows: the fixed one, or the one that it inherits. */
const effectiveDate = (next: Next, which: 'start' | 'due', inherited: string | null): string | null =>
  next[`${which}_date_is_fixed`] ? next[`${which}_date_fixed`] : inherited

/** The domain events of the change, in the order in which people read them. */
function factsOf(epic: EpicRow, next: Next, labels: Difference<number>): Fact[] {
  const about = aboutEpic(epic)
  const facts: Fact[] = []
  const changed = (key: keyof Next) => epic[key] !== next[key]
  if (changed('title'))
    facts.push({ ...about, name: 'epic retitled', details: { from: epic.title, to: next.title } })
  if (changed('description')) facts.push({ ...about, name: 'epic description changed', details: {} })
  if (!isEmpty(labels)) facts.push({ ...about, name: 'epic labels changed', details: labels })
  for (const which of ['start', 'due'] as const) {
    const from = epic[`${which}_date`]
    const to = effectiveDate(next, which, epic[`${which}_date_inherited`])
    if (from !== to) facts.push({ ...about, name: `epic ${which} date changed`, details: { from, to } })
  }
  if (changed('confidential')) {
    const details = { confidential: next.confidential }
    facts.push({ ...about, name: 'epic confidentiality changed', details })
  }
  if (changed('color'))
    facts.push({ ...about, name: 'epic color changed', details: { from: epic.color, to: next.color } })
  if (changed('state'))
    facts.push({ ...about, name: next.state === 'closed' ? 'epic closed' : 'epic reopened', details: {} })
  return facts
}
