import type { Tx } from '#platform/db/transaction.ts'
import { announce } from '#platform/db/watched.ts'
import { record } from '#platform/facts/record.ts'
import { badRequest } from '#platform/refusals.ts'
import { FLAGS_CHANNEL } from './feature-flags.ts'
import { closed, type Gates, stateOf } from './gates.ts'
import { type SwitchRow, switchColumns } from './queries.ts'

/** What to set on a feature flag. Gates that are not named stay as they are. */
export type GateSetting =
  /** On or off for everybody; this clears every other gate. */
  | { readonly gate: 'everybody'; readonly on: boolean }
  | { readonly gate: 'percentage_of_actors' | 'percentage_of_time'; readonly percentage: number }
  | {
      readonly gate: 'some'
      readonly on: boolean
      readonly actors: readonly string[]
      readonly groups: readonly string[]
    }

/**
 * Sets gates of a feature flag and tells every process when the transaction commits. It locks the row first, so that
 * two concurrent requests keep each other's gates.
 * @throws 400 for a percentage of a flag that is on for everybody.
 */
export async function setFeatureFlag(tx: Tx, name: string, setting: GateSetting): Promise<SwitchRow> {
  const before = await tx.db
    .insertInto('feature_switches')
    .values({ name, updated_at: tx.now })
    .onConflict((oc) => oc.column('name').doUpdateSet({ updated_at: tx.now }))
    .returning(switchColumns)
    .executeTakeFirstOrThrow()
  const { enabled, actors, groups, percentage_of_actors, percentage_of_time } = after(before, setting)
  const set = await tx.db
    .updateTable('feature_switches')
    .set({ enabled, actors: [...actors], groups: [...groups], percentage_of_actors, percentage_of_time })
    .where('name', '=', name)
    .returning(switchColumns)
    .executeTakeFirstOrThrow()
  await announce(tx, FLAGS_CHANNEL)
  const details = { feature: name, state: stateOf(set), setting }
  record(tx, { name: 'feature switch set', namespace: null, target: null, details })
  return set
}

function after(before: Gates, setting: GateSetting): Gates {
  if (setting.gate === 'everybody') return { ...closed, enabled: setting.on }
  if (setting.gate === 'some') {
    return {
      ...before,
      actors: changed(before.actors, setting.actors, setting.on),
      groups: changed(before.groups, setting.groups, setting.on),
    }
  }
  if (before.enabled)
    throw badRequest('the feature flag is on for everybody: turn it off before you set a percentage')
  return { ...before, [setting.gate]: setting.percentage }
}

function changed(before: readonly string[], named: readonly string[], on: boolean): readonly string[] {
  return on ? [...new Set([...before, ...named])] : before.filter((one) => !named.includes(one))
}
