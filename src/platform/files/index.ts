import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { cleanUpFiles } from './clean-up.ts'
import { fileSettings } from './settings.ts'

/** The files that people upload. */
export const files: Feature = {
  settings: fileSettings,
  tasks: [cleanUpFiles],
  schedule: [daily('04:20', cleanUpFiles, {})],
}
