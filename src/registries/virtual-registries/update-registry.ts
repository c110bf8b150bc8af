import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { registryColumns, type RegistryRow } from './entity.ts'
import type { NewRegistry } from './create-registry.ts'

/** Changes the given attributes that differ. @param registry locked by `lockRegistry`. */
export async function updateRegistry(
  tx: Tx,
  registry: RegistryRow,
  { name = registry.name, description = registry.description }: Partial<NewRegistry>,
): Promise<RegistryRow> {
  const { name: oldName, description: oldDescription } = registry
  const changes = changesBetween({ name: oldName, description: oldDescription }, { name, description })
  const fields = Object.keys(changes)
  if (fields.length === 0) return registry
  const changed = await tx.db
    .updateTable('container_registries')
    .set({ name, description, updated_at: tx.now })
    .where('id', '=', registry.id)
    .returning(registryColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'container registry changed',
    namespace: registry.group_id,
    target: { type: 'ContainerRegistry', id: registry.id },
    details: { name, fields, changes },
  })
  return changed
}
