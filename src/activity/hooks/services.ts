import { type Repositories, repositoriesOf } from '#code/repositories/repositories.ts'
import type { Plan } from '#platform/access/route-access.ts'
import type { Config } from '#platform/config/config.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import type { Outgoing } from '#platform/outgoing/outgoing.ts'
import type { Settings } from '#platform/settings/definitions.ts'

declare module '#platform/jobs/task.ts' {
  interface JobServices {
    readonly config?: Pick<Config, 'externalUrl'>
    readonly settings?: () => Settings
    readonly currentPlan?: () => Plan
  }
}

/** What jobs of hooks need besides the database. */
export interface HookServices {
  readonly config: Pick<Config, 'externalUrl'>
  readonly settings: Settings
  readonly repositories: Repositories
  readonly outgoing: Outgoing
  readonly secrets: Secrets
  /** Whether today's plan has webhooks of groups. */
  readonly tellsGroups: boolean
}

/** @throws in a process that tells hooks nothing */
export function hookServicesOf(job: JobContext): HookServices {
  const { config, settings, outgoing, secrets, currentPlan } = job
  if (config === undefined || settings === undefined || outgoing === undefined || secrets === undefined) {
    throw new Error('This process has no webhooks')
  }
  return {
    config,
    settings: settings(),
    repositories: repositoriesOf(job),
    outgoing,
    secrets,
    tellsGroups: currentPlan?.() !== 'free',
  }
}
