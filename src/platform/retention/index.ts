import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { keepPartitions } from './keep-partitions.ts'
import { retentionSettings } from './settings.ts'

/** How long ever-growing data is kept. */
export const retention: Feature = {
  settings: retentionSettings,
  tasks: [keepPartitions],
  schedule: [daily('02:40', keepPartitions, {})],
}
