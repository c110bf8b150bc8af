import { sql } from 'kysely'
import type { TreePosition } from '#platform/access/containers.ts'
import { type Params, statement } from '#platform/db/statement.ts'
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
  const rows = await labelsNamed(tx.db, { namespaces: container.traversal_ids, names })
  const depth = ({ namespace_id }: (typeof rows)[number]) => container.traversal_ids.indexOf(namespace_id)
  const nearestLast = rows.toSorted((one, other) => depth(one) - depth(other))
  const ids = new Map(nearestLast.map(({ id, name }) => [name, id]))
  const missing = wanted.filter((name) => !ids.has(name))
  if (missing.length === 0 || !can('admin_label')) return ids
  return new Map([...ids, ...(await addMissingLabels(tx, container, missing))])
}

interface Named {
  readonly namespaces: readonly number[]
  readonly names: readonly string[]
}

/** PostgreSQL would plan it at each run, for as many names as there are, if it saw how many. */
const labelsNamed = statement({
  name: 'labels by name',
  build: (_, param: Params<Named>) => sql<{ id: number; name: string; namespace_id: number }>`
    select id, name, namespace_id from labels
      where namespace_id = any((select ${param('namespaces')}::bigint[])::bigint[]) and name = any((select ${param('names')}::text[])::text[])
      order by id for key share`,
})
