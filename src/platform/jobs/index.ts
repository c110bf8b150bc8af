import type { Feature } from '#platform/feature.ts'
import { continueBackfills } from './backfill.ts'
import { scheduled } from './schedule.ts'

/** Backfills that migrations have started; none at present. */
const runBackfills = continueBackfills([])

/** Background jobs. */
export const jobs: Feature = {
  tasks: [runBackfills],
  schedule: [scheduled('*/5 * * * *', runBackfills, {})],
}
