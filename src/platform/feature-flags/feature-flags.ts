import type { Randomness } from '#platform/context.ts'
import type { Listener } from '#platform/db/listener.ts'
import type { Db } from '#platform/db/pool.ts'
import { watch } from '#platform/db/watched.ts'
import type { Actors } from './actors.ts'
import { definitions, type SwitchName } from './definitions.ts'
import { isOpen } from './gates.ts'
import { readSwitches } from './queries.ts'

/** Where changes of switches are announced. */
export const CHANNEL = 'forgelet_features'

/** The feature flags as this process knows them. */
export interface FeatureFlags {
  /** Whether a feature is on for any of the actors; without actors, whether it is on for everybody. */
  readonly isOn: (name: SwitchName, actors?: Actors) => boolean
  /** Reads the switches again; a request that changed one does so after its commit, to see its own change. */
  readonly reload: () => Promise<unknown>
}

export interface FeaturesOptions {
  readonly db: Db
  readonly listener: Listener
  readonly random: Randomness
  /** Told when they could not be read again. */
  readonly onError?: (error: unknown) => void
}

/** Reads the switches and keeps them up to date, also when other processes set them. */
export async function openFeatureFlags({ db, random, ...options }: FeaturesOptions): Promise<FeatureFlags> {
  const switches = await watch({ ...options, channel: CHANNEL, read: () => readSwitches(db) })
  return {
    isOn: (name, actors = {}) => {
      const gates = switches.current().find((one) => one.name === name)
      return gates === undefined ? definitions[name].default : isOpen(name, gates, actors, random)
    },
    reload: switches.reload,
  }
}
