import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { hookAbilities } from './abilities.ts'
import { consumeForHooks } from './consume-facts.ts'
import { deliver } from './deliver.ts'
import { hookDeliveryRoutes } from './delivery-routes.ts'
import { auditedHook, hookFacts } from './facts.ts'
import { forgetPayloads } from './forget-payloads.ts'
import { prepareDeliveries } from './prepare.ts'
import { hookRoutes } from './routes.ts'
import { hookSettings } from './settings.ts'
import { hookValueRoutes } from './value-routes.ts'

/** Webhooks: requests to other servers that tell of what happens here. */
export const webhooks: Feature = {
  areas: [
    {
      name: 'Webhooks',
      about:
        'Requests that tell other servers of what happens in projects, in groups and in the whole instance.',
      segments: ['hooks'],
    },
  ],
  routes: [hookRoutes, hookValueRoutes, hookDeliveryRoutes],
  abilities: hookAbilities,
  facts: hookFacts,
  audited: auditedHook,
  settings: hookSettings,
  consumers: [consumeForHooks],
  tasks: [prepareDeliveries, deliver, forgetPayloads],
  schedule: [daily('03:35', forgetPayloads, {})],
}
