import { lockText } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { registryColumns, type RegistryRow } from './entity.ts'
import { registriesOf } from './queries.ts'

export const MAX_REGISTRIES = 5

export interface NewRegistry {
  readonly name: string
  readonly description?: string | null
}

/** Makes a virtual registry of a group. @throws 400 when the group has five, 404 when it is gone. */
export async function createRegistry(
  tx: Tx,
  groupId: number,
  { name, description = null }: NewRegistry,
): Promise<RegistryRow> {
  await lockParent(tx, groupId)
  await lockText(tx, `container registries of ${groupId}`)
  if ((await registriesOf(tx.db, groupId)).length >= MAX_REGISTRIES) {
    throw invalid({ group: [`already has the maximum number of registries: ${MAX_REGISTRIES}`] })
  }
  const registry = await tx.db
    .insertInto('container_registries')
    .values({ group_id: groupId, name, description, created_at: tx.now, updated_at: tx.now })
    .returning(registryColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'container registry created',
    namespace: groupId,
    target: { type: 'ContainerRegistry', id: registry.id },
    details: { name },
  })
  return registry
}
