import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { isoOrNull } from '#platform/http/time.ts'
import { checkUrl } from './check.ts'
import type { EnvironmentAttributes } from './create-environment.ts'
import { environmentColumns, type EnvironmentRow } from './entity.ts'

/**
 * Changes the given attributes that differ and leaves the rest.
 * @param environment locked by `lockEnvironment`.
 * @returns the changed environment.
 * @throws 400 for an unacceptable URL
 */
export async function updateEnvironment(
  tx: Tx,
  namespace: number,
  environment: EnvironmentRow,
  given: EnvironmentAttributes,
): Promise<EnvironmentRow> {
  const { id, name, tier, description, auto_stop_setting } = environment
  const before = {
    external_url: environment.external_url,
    tier,
    description,
    auto_stop_at: isoOrNull(environment.auto_stop_at),
    auto_stop_setting,
  }
  const after = {
    external_url: given.external_url === undefined ? before.external_url : checkUrl(given.external_url),
    tier: given.tier ?? tier,
    description: given.description === undefined ? description : given.description,
    auto_stop_at: given.auto_stop_at === undefined ? before.auto_stop_at : given.auto_stop_at,
    auto_stop_setting: given.auto_stop_setting ?? auto_stop_setting,
  }
  const changes = changesBetween(before, after)
  const fields = Object.keys(changes)
  if (fields.length === 0) return environment
  const changed = await tx.db
    .updateTable('environments')
    .set({ ...after, updated_at: tx.now })
    .where('id', '=', id)
    .returning(environmentColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'environment changed',
    namespace,
    target: { type: 'Environment', id },
    details: { environment: name, fields, changes },
  })
  return changed
}
