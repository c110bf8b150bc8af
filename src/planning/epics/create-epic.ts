import { sql } from 'kysely'
import { nextIid } from '#identity/namespaces/next-iid.ts'
import type { TreePosition } from '#platform/access/containers.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { onlyOne } from '#platform/sequences.ts'
import { assertFew } from '#planning/noteables/items/assert-few.ts'
import { checkTitle } from '#planning/noteables/items/check-title.ts'
import { checkColor } from '#planning/labels/create-label.ts'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import type { EpicChanges } from './changes.ts'

/** The color of an epic that nobody chose one for. */
const COLOR = '#1068bf'

export interface NewEpic extends Omit<EpicChanges, 'title' | 'state_event' | 'remove_label_ids'> {
  readonly title: string
  /** The requested time of creation; only for callers who may set it. */
  readonly created_at?: string | undefined
}

/**
 * Opens an epic in a group as the transaction's author.
 * @param epic the labels to which it refers are locked (resolve-changes.ts).
 * @throws 400 for an unacceptable title or color, and for too many labels.
 */
export async function createEpic(
  tx: Tx,
  { namespace_id }: Pick<TreePosition, 'namespace_id'>,
  { title: given, created_at, ...epic }: NewEpic,
): Promise<{ id: number; iid: number }> {
  if (tx.author === null) throw new Error('An epic needs an author')
  const title = checkTitle(given)
  const color = checkColor(epic.color ?? COLOR)
  const labels = [...new Set([...(epic.label_ids ?? []), ...(epic.add_label_ids ?? [])])]
  assertFew('labels', labels, 0)
  // Others who open epics here wait from now on until the commit, so that numbers have no gaps.
  const iid = await nextIid(tx, namespace_id, 'epic')
  const at = created_at ?? tx.now
  const { rows } = await sql<{ id: number }>`
    with epic as (
      insert into epics (group_id, iid, title, description, author_id, confidential, color, start_date_is_fixed,
        start_date_fixed, due_date_is_fixed, due_date_fixed, created_at)
      values (${namespace_id}, ${iid}, ${title}, ${epic.description ?? null}, ${tx.author.id},
        ${epic.confidential ?? false}, ${color}, ${epic.start_date_is_fixed ?? false}, ${epic.start_date_fixed ?? null},
        ${epic.due_date_is_fixed ?? false}, ${epic.due_date_fixed ?? null}, ${at})
      returning id
    ), noteable as ${insertNoteables('epic', { kind: 'epic', namespaceId: namespace_id, updatedAt: at })}
    select id from epic`.execute(tx.db)
  const { id } = onlyOne(rows)
  await addLabels(tx, id, labels)
  const about = { namespace: namespace_id, target: { type: 'Epic', id } }
  record(tx, { ...about, name: 'epic created', details: { iid, title } })
  if (labels.length > 0)
    record(tx, {
      ...about,
      name: 'epic labels changed',
      details: { added: labels, removed: [], at_creation: true },
    })
  return { id, iid }
}

export async function addLabels(tx: Tx, epicId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql`insert into epic_labels (epic_id, label_id)
    select ${epicId}, unnest(${[...ids]}::bigint[])`.execute(tx.db)
}
