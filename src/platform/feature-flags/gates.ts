import { hash } from 'node:crypto'
import type { Randomness } from '#platform/context.ts'
import { type Actors, allNamesOf, featureGroups, namesOf } from './actors.ts'

/** For whom a feature flag is on. One matching gate is enough. */
export interface Gates {
  readonly enabled: boolean
  readonly actors: readonly string[]
  readonly groups: readonly string[]
  readonly percentage_of_actors: number
  readonly percentage_of_time: number
}

export type State = 'on' | 'off' | 'conditional'

/** The gates of a new flag, and of one that was switched off. */
export const closed: Gates = {
  enabled: false,
  actors: [],
  groups: [],
  percentage_of_actors: 0,
  percentage_of_time: 0,
}

export function stateOf(gates: Gates): State {
  if (gates.enabled) return 'on'
  const some =
    gates.actors.length > 0 ||
    gates.groups.length > 0 ||
    gates.percentage_of_actors > 0 ||
    gates.percentage_of_time > 0
  return some ? 'conditional' : 'off'
}

/** Whether the flag of that name is on for the actors, at this moment. */
export function isFlagOn(name: string, gates: Gates, actors: Actors, random: Randomness): boolean {
  return (
    gates.enabled ||
    (gates.actors.length > 0 && allNamesOf(actors).some((actor) => gates.actors.includes(actor))) ||
    gates.groups.some((group) => featureGroups.get(group)?.(actors) ?? false) ||
    isAmong(name, actors, gates.percentage_of_actors) ||
    (gates.percentage_of_time > 0 && chance(random) < gates.percentage_of_time)
  )
}

const UINT32 = 2 ** 32

/** The same actors always have the same position between 0 and 100, but a different one for each flag. */
function isAmong(name: string, actors: Actors, percentage: number): boolean {
  const names = namesOf(actors)
  if (percentage === 0 || names.length === 0) return false
  const container = hash('sha256', [name, ...names].join('\n'), 'buffer').readUInt32BE() / UINT32
  return container * 100 < percentage
}

const chance = (random: Randomness): number => (random.bytes(4).readUInt32BE() / UINT32) * 100
