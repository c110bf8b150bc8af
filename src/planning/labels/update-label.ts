import { defined } from '#platform/defined.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { checkColor, checkName, assertFreeName } from './create-label.ts'
import type { LabelRow } from './entity.ts'
import { prioritizeLabel } from './prioritize-label.ts'
import type { Container } from './queries.ts'

export interface LabelChanges {
  readonly new_name?: string
  readonly color?: string
  readonly description?: string | null
  readonly archived?: boolean
  /** Of a label of a project. */
  readonly priority?: number | null
}

/**
 * Changes the given attributes and leaves the rest.
 * @param label locked by `lockLabel`.
 * @returns the changed label.
 * @throws 409 when the new name is used, 400 for an unacceptable name or color.
 */
export async function updateLabel(
  tx: Tx,
  container: Container,
  label: LabelRow,
  { new_name, color, description, archived, priority = label.priority }: LabelChanges,
): Promise<LabelRow> {
  const name = new_name === undefined ? label.name : checkName(new_name)
  if (name !== label.name) await assertFreeName(tx, container, name)
  const changed = await tx.db
    .updateTable('labels')
    .set(
      defined({
        name: name === label.name ? undefined : name,
        color: color === undefined ? undefined : checkColor(color),
        description,
        archived,
        updated_at: tx.now,
      }),
    )
    .where('id', '=', label.id)
    .returning(['name', 'color', 'description', 'archived', 'updated_at'])
    .executeTakeFirstOrThrow()
  if (priority !== label.priority) await prioritizeLabel(tx, container.id, label.id, priority)
  const changes = { name: new_name, color, description, archived }
  record(tx, {
    name: 'label changed',
    namespace: label.namespace_id,
    target: { type: 'Label', id: label.id },
    details: {
      label: name,
      fields: Object.entries(changes).flatMap(([key, value]) => (value === undefined ? [] : [key])),
    },
  })
  return { ...label, ...changed, priority }
}
