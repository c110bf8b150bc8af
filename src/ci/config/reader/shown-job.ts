import type { Configuration, ConfiguredJob } from '../configuration.ts'
import { isMapping, type Json, toJson } from '../values.ts'

/** A job of a file as lint shows it, whether it runs or not. */
export type ShownJob = Pick<
  ConfiguredJob,
  'name' | 'stage' | 'when' | 'allowFailure' | 'options' | 'tags' | 'environment' | 'needs'
> & {
  /** As the file has them. */
  readonly only: Json
  readonly except: Json
}

export const shownJobs = ({ jobs, merged }: Configuration): ShownJob[] =>
  jobs.map(({ name, stage, when, allowFailure, options, tags, environment, needs }) => {
    const entry = merged?.get(name)
    const filter = (key: string) => (isMapping(entry) ? toJson(entry.get(key) ?? null) : null)
    const [only, except] = [filter('only'), filter('except')]
    return { name, stage, when, allowFailure, options, tags, environment, needs, only, except }
  })
