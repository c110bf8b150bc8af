import { sql } from 'kysely'
import type { TreePosition } from '#platform/access/containers.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { addMissingLabels } from './add-missing-labels.ts'

/** The project or group in which labels are named, with what the caller may do there. */
interface Naming {
  readonly container: TreePosition
  readonly can: (ability: 'admin_label') => boolean
}

interface LabelNames {
  /** Names that are not created when they are missing. */
  readonly known: readonly string[]
  readonly wanted: readonly string[]
}

/** The names in a parameter, without blank ones. */
export function namesIn(names: readonly string[] = []): string[] {
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

/**
 * The ids of labels of a project or group or of a group above it by name; of several with one name, the nearest. They stay
 * until the transaction ends. Missing ones are created if the caller may do so.
 */
export async function labelIds(
  tx: Tx,
  { container, can }: Naming,
  { known, wanted }: LabelNames,
): Promise<Map<string, number>> {
  const names = [...new Set([...known, ...wanted])]
  if (names.length === 0) return new Map()
  const rows = await tx.db
    .selectFrom('labels')
    .select(['id', 'name', 'namespace_id'])
    .where(isAnyOf('namespace_id', container.traversal_ids))
    .where(sql<boolean>`name = any(${names}::text[])`)
    .orderBy('id')
    .forKeyShare()
    .execute()
  const depth = ({ namespace_id }: (typeof rows)[number]) => container.traversal_ids.indexOf(namespace_id)
  const nearestLast = rows.toSorted((one, other) => depth(one) - depth(other))
  const ids = new Map(nearestLast.map(({ id, name }) => [name, id]))
  const missing = wanted.filter((name) => !ids.has(name))
  if (missing.length === 0 || !can('admin_label')) return ids
  return new Map([...ids, ...(await addMissingLabels(tx, container, missing))])
}
