import type { Feature } from '#platform/feature.ts'
import { recordSteps } from '#code/repositories/record-changes.ts'
import { followPushes } from './follow-pushes.ts'
import { followTargets } from './follow-targets.ts'
import { refreshSources } from './refresh-sources.ts'

/** What pushes mean for merge requests. */
export const mergeRequestPushes: Feature = {
  extensions: [recordSteps.with(followPushes)],
  tasks: [followTargets, refreshSources],
}
