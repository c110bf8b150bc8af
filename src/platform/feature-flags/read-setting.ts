import type { Static } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest } from '#platform/refusals.ts'
import { refuseLater } from '#platform/http/later.ts'
import { isSwitchName } from './definitions.ts'
import { findActors } from './find-actors.ts'
import { unsupportedGates, type SwitchSetting } from './parameters.ts'
import type { GateSetting } from './set-feature-flag.ts'

type FlagParameters = Static<typeof SwitchSetting>

/** @throws 400 for a name that no feature flag has, unless it is forced. */
export function assertKnown(name: string, { force }: Pick<FlagParameters, 'force'>): void {
  if (!force && !isSwitchName(name))
    throw badRequest(`there is no feature ${name}; add force=true to set it anyway`)
}

/**
 * Reads what a request wants to set on a feature flag.
 * @throws 400 for actors that do not exist, and for a percentage of some actors.
 */
export async function readSetting(db: Db | Tx['db'], asked: FlagParameters): Promise<GateSetting> {
  refuseLater(asked, unsupportedGates)
  const on = asked.value === 'true' || asked.value === 100
  const off = asked.value === 'false' || asked.value === 0
  const percentage = on || off ? undefined : Number(asked.value)
  const { user, group, namespace, project, repository, feature_group: groups } = asked
  const named = [user, group, namespace, project, repository, groups].some((names) => names !== undefined)
  if (!named) {
    return percentage === undefined
      ? { gate: 'everybody', on }
      : { gate: asked.key ?? 'percentage_of_time', percentage }
  }
  if (percentage !== undefined) throw badRequest('for some actors a feature is on or off')
  if (groups?.length === 0) throw badRequest('feature_group names nothing')
  const actors = await findActors(db, asked)
  return { gate: 'some', on, actors, groups: groups ?? [] }
}
