import type { Feature } from '#platform/feature.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { sealedColumns } from '#platform/key-ring/key-ring.ts'
import { jobAbilities } from './abilities.ts'
import { failStuckJobs } from './fail-stuck-jobs.ts'
import { jobFacts } from './facts.ts'
import { jobRoutes } from './routes.ts'
import { sealedJobVariables } from './variables.ts'

/** Jobs: the parts of pipelines. */
export const jobs: Feature = {
  areas: [
    { name: 'Jobs', about: 'The parts of pipelines, with their logs and results.', segments: ['jobs'] },
  ],
  routes: [jobRoutes],
  abilities: jobAbilities,
  facts: jobFacts,
  tasks: [failStuckJobs],
  schedule: [scheduled('*/5 * * * *', failStuckJobs, {})],
  extensions: [sealedColumns.with(sealedJobVariables)],
}
