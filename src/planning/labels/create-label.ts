import type { TreePosition } from '#platform/access/containers.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { conflict, invalid, known } from '#platform/refusals.ts'
import { readColor } from './color.ts'
import type { LabelRow } from './entity.ts'
import { prioritizeLabel } from './prioritize-label.ts'
import type { Container } from './queries.ts'

export interface NewLabel {
  readonly name: string
  readonly color: string
  readonly description?: string | null
  readonly archived?: boolean
  /** Of a label of a project. */
  readonly priority?: number | null
}

/**
 * Makes a label of a project or group.
 * @returns the label as its author sees it there.
 * @throws 409 when the container or a group above uses the name, 400 for an unacceptable name or color.
 */
export async function createLabel(
  tx: Tx,
  container: Container,
  { name, color, description, archived, priority = null }: NewLabel,
): Promise<LabelRow> {
  const values = { name: checkName(name), color: checkColor(color) }
  await assertFreeName(tx, container, values.name)
  const created = await tx.db
    .insertInto('labels')
    .values({
      ...values,
      namespace_id: container.namespace_id,
      description: description ?? null,
      archived: archived ?? false,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(['id', 'namespace_id', 'name', 'color', 'description', 'archived', 'created_at', 'updated_at'])
    .executeTakeFirstOrThrow()
  if (priority !== null) await prioritizeLabel(tx, container.id, created.id, priority)
  record(tx, {
    name: 'label created',
    namespace: container.namespace_id,
    target: { type: 'Label', id: created.id },
    details: { label: values.name },
  })
  return { ...created, subscribed: false, priority, is_project_label: container.kind === 'project' }
}

/** Checks a label's name. Lists of labels are separated by commas, so a name has none. */
export function checkName(name: string): string {
  const trimmed = name.trim()
  if (trimmed.includes(',')) throw invalid({ title: ['is invalid'] })
  return trimmed
}

export function checkColor(color: string): string {
  const read = readColor(color)
  if (read === undefined) throw invalid({ color: ['must be a valid color code'] })
  return read
}

/** Names of labels are unique in a container, including the groups above it. */
export async function assertFreeName(tx: Tx, container: TreePosition, name: string): Promise<void> {
  const taken = await tx.db
    .selectFrom('labels')
    .select('id')
    .where(isAnyOf('namespace_id', container.traversal_ids))
    .where('name', '=', name)
    .executeTakeFirst()
  if (taken !== undefined) throw conflict(known('label-exists'))
}
