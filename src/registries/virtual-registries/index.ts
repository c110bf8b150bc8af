import { sealedColumns } from '#platform/key-ring/key-ring.ts'
import type { Feature } from '#platform/feature.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { virtualRegistryAbilities } from './abilities.ts'
import { associationRoutes } from './association-routes.ts'
import { evictCache } from './cache/evict.ts'
import { cacheRoutes } from './cache-routes.ts'
import { sealedPasswords } from './credentials.ts'
import { auditedVirtualRegistry, virtualRegistryFacts } from './facts.ts'
import { removeUpstreams } from './hide-upstreams.ts'
import { purgeCache } from './purge-cache.ts'
import { pullRoutes } from './pull/routes.ts'
import { registryRoutes } from './registry-routes.ts'
import { virtualRegistrySettings } from './settings.ts'
import { testRoutes } from './test-routes.ts'
import { upstreamRoutes } from './upstream-routes.ts'

/** Container registries of groups that pull from other registries, and keep what they pulled. */
export const virtualRegistries: Feature = {
  areas: [
    {
      name: 'Container virtual registries',
      about:
        'Registries of top-level groups that pull images from other registries and keep them. They need Premium, are beta, and the feature flag `container_virtual_registries` opens them.',
      segments: ['virtual_registries'],
      beta: true,
    },
  ],
  routes: [registryRoutes, upstreamRoutes, testRoutes, associationRoutes, cacheRoutes],
  pages: [pullRoutes],
  abilities: virtualRegistryAbilities,
  unique: {
    container_upstreams_url_key: {
      attribute: 'group',
      text: knownTexts['upstream-exists'],
    },
    container_registry_upstreams_pair_key: { attribute: 'upstream_id' },
  },
  facts: virtualRegistryFacts,
  audited: auditedVirtualRegistry,
  settings: virtualRegistrySettings,
  tasks: [removeUpstreams, purgeCache, evictCache],
  schedule: [scheduled('*/10 * * * *', evictCache, {})],
  extensions: [sealedColumns.with(sealedPasswords)],
}
