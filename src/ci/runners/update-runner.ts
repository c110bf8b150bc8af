import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { aboutRunner } from './about-runner.ts'
import { attributesWith } from './attributes.ts'
import type { GivenAttributes } from './parameters.ts'
import type { FoundRunner } from './queries.ts'

/**
 * Changes what people decide about a runner.
 * @param runner locked by `lockRunner`
 * @throws 400 for attributes that no runner can have
 */
export async function updateRunner(tx: Tx, runner: FoundRunner, given: GivenAttributes): Promise<void> {
  const { description, maintenance_note, paused, locked, run_untagged, access_level, tags, maximum_timeout } =
    runner
  const before = {
    description,
    maintenance_note,
    paused,
    locked,
    run_untagged,
    access_level,
    tags,
    maximum_timeout,
  }
  const after = attributesWith(given, before)
  const changes = changesBetween(before, after)
  if (Object.keys(changes).length === 0) return
  await tx.db
    .updateTable('ci_runners')
    .set({ ...after, tags: [...after.tags], updated_at: tx.now })
    .where('id', '=', runner.id)
    .execute()
  const { details, ...about } = aboutRunner(
    { id: runner.id, description: after.description },
    runner.owner_namespace_id,
  )
  record(tx, {
    name: 'runner changed',
    ...about,
    details: { ...details, fields: Object.keys(changes), changes },
  })
}
