import type { Randomness } from '#platform/context.ts'
import type { Listener } from '#platform/db/listener.ts'
import type { Db } from '#platform/db/pool.ts'
import { watch } from '#platform/db/watched.ts'
import type { Actors } from './actors.ts'
import { definitions, type FeatureFlagName } from './definitions.ts'
import { isFlagOn } from './gates.ts'
import { readSwitches } from './queries.ts'

/** The channel that announces changes of feature flags. */
export const FLAGS_CHANNEL = 'forgelet_features'

/** The feature flags as this process knows them. */
export interface FeatureFlags {
  /** Whether a flag is on for any of the actors; without actors, whether it is on for everybody. */
  readonly isOn: (name: FeatureFlagName, actors?: Actors) => boolean
  /** Reads the flags again. A request that changed one calls this after its commit, to see its own change. */
  readonly reload: () => Promise<unknown>
}

export interface FeaturesOptions {
  readonly db: Db
  readonly listener: Listener
  readonly random: Randomness
  /** Called when reloading failed. */
  readonly onError?: (error: unknown) => void
}

/** Reads the flags and keeps them current, also when other processes set them. */
export async function openFeatureFlags({ db, random, ...options }: FeaturesOptions): Promise<FeatureFlags> {
  const switches = await watch({ ...options, channel: FLAGS_CHANNEL, read: () => readSwitches(db) })
  return {
    isOn: (name, actors = {}) => {
      const gates = switches.current().find((one) => one.name === name)
      return gates === undefined ? definitions[name].default : isFlagOn(name, gates, actors, random)
    },
    reload: switches.reload,
  }
}
