import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { cleanUpFiles } from './clean-up.ts'

/** Files that people give us. */
export const files: Feature = {
  tasks: [cleanUpFiles],
  schedule: [daily('04:20', cleanUpFiles, {})],
}
