import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { assertNotOnCall, type IntegrationValues } from './create-integration.ts'
import { integrationColumns, type IntegrationRow } from './entity.ts'
import { aboutIntegration } from './facts.ts'
import type { StoredKey } from './keys.ts'

/**
 * Changes the given attributes that differ.
 * @param row locked.
 * @throws 400 when it is to become active while an external product is on call
 */
export async function updateIntegration(
  tx: Tx,
  row: IntegrationRow,
  namespaceId: number,
  given: Partial<IntegrationValues>,
): Promise<IntegrationRow> {
  if (given.active === true && !row.active) await assertNotOnCall(tx, row.project_id)
  const { name, active, preset, mapping, sample_payload } = row
  const changes = changesBetween({ name, active, preset, mapping, sample_payload }, given)
  const fields = Object.keys(changes)
  if (fields.length === 0) return row
  const columns = {
    ...given,
    ...(given.mapping !== undefined && { mapping: JSON.stringify(given.mapping) }),
    ...(given.sample_payload !== undefined && {
      sample_payload: given.sample_payload === null ? null : JSON.stringify(given.sample_payload),
    }),
  }
  const next = await tx.db
    .updateTable('alert_integrations')
    .set({
      ...Object.fromEntries(Object.entries(columns).filter(([field]) => fields.includes(field))),
      updated_at: tx.now,
    })
    .where('id', '=', row.id)
    .returning(integrationColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    ...aboutIntegration(row.id, namespaceId),
    name: 'alert integration changed',
    details: { integration: next.name, fields, changes },
  })
  return next
}

/** Gives an integration another key. The one before counts no longer. @param row locked */
export async function resetKey(
  tx: Tx,
  row: IntegrationRow,
  namespaceId: number,
  key: StoredKey,
): Promise<IntegrationRow> {
  const next = await tx.db
    .updateTable('alert_integrations')
    .set({ ...key, updated_at: tx.now })
    .where('id', '=', row.id)
    .returning(integrationColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    ...aboutIntegration(row.id, namespaceId),
    name: 'alert integration key reset',
    details: { integration: next.name },
  })
  return next
}

/** Deletes an integration. Its alerts stay. @param row locked */
export async function deleteIntegration(tx: Tx, row: IntegrationRow, namespaceId: number): Promise<void> {
  await tx.db.deleteFrom('alert_integrations').where('id', '=', row.id).execute()
  record(tx, {
    ...aboutIntegration(row.id, namespaceId),
    name: 'alert integration deleted',
    details: { integration: row.name },
  })
}
