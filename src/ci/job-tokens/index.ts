import { gitCredentials } from '#code/git-http/authorize-git.ts'
import type { Feature } from '#platform/feature.ts'
import { jobTokenAbilities } from './abilities.ts'
import { auditedJobTokens, jobTokenFacts } from './facts.ts'
import { jobTokensForGit } from './git.ts'
import { ownJobRoutes } from './job-routes.ts'
import { scopeRoutes } from './scope-routes.ts'
import { jobTokenSettings } from './settings.ts'

/** Tokens with which jobs act for whoever started them, and which projects let them in. */
export const jobTokens: Feature = {
  areas: [
    {
      name: 'Job tokens',
      about: 'What jobs reach by their tokens, and which projects let them in.',
      segments: ['job', 'job_token_scope'],
    },
  ],
  routes: [ownJobRoutes, scopeRoutes],
  abilities: jobTokenAbilities,
  facts: jobTokenFacts,
  audited: auditedJobTokens,
  settings: jobTokenSettings,
  extensions: [gitCredentials.with(jobTokensForGit)],
}
