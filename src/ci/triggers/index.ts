import type { Feature } from '#platform/feature.ts'
import { sealedColumns } from '#platform/key-ring/key-ring.ts'
import { triggerAbilities } from './abilities.ts'
import { auditedTrigger, triggerFacts } from './facts.ts'
import { triggerRoutes } from './routes.ts'
import { triggerSettings } from './settings.ts'
import { triggeringRoutes } from './trigger-routes.ts'
import { sealedTokens } from './write-trigger.ts'

/** Tokens that start pipelines. */
export const pipelineTriggers: Feature = {
  areas: [
    {
      name: 'Pipeline triggers',
      about: 'Tokens that start pipelines, for programs that need nothing else.',
      segments: ['triggers', 'trigger'],
    },
  ],
  routes: [triggerRoutes, triggeringRoutes],
  abilities: triggerAbilities,
  facts: triggerFacts,
  settings: triggerSettings,
  audited: auditedTrigger,
  extensions: [sealedColumns.with(sealedTokens)],
}
