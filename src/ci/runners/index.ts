import type { Feature } from '#platform/feature.ts'
import { runnerAbilities } from './abilities.ts'
import { auditedRunner, runnerFacts } from './facts.ts'
import { runnerListRoutes } from './list-routes.ts'
import { ownRunnerRoutes } from './own-routes.ts'
import { registrationTokenRoutes } from './registration-routes.ts'
import { endJobsOfRemovedRunner } from './remove-runner.ts'
import { runnerRoutes } from './routes.ts'
import { runnerSettings } from './settings.ts'

/** Runners: what takes jobs and runs them elsewhere. */
export const runners: Feature = {
  areas: [
    { name: 'Runners', about: 'Programs that take jobs and run them elsewhere.', segments: ['runners'] },
  ],
  routes: [runnerRoutes, runnerListRoutes, ownRunnerRoutes, registrationTokenRoutes],
  abilities: runnerAbilities,
  facts: runnerFacts,
  audited: auditedRunner,
  settings: runnerSettings,
  tasks: [endJobsOfRemovedRunner],
}
