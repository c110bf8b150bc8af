import type { Feature } from '#platform/feature.ts'
import { readPipelineAbilities } from './abilities.ts'

/** What commits and merge requests show of pipelines. The district `ci` makes them. */
export const shownPipelines: Feature = { abilities: readPipelineAbilities }
