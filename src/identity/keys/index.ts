import type { Feature } from '#platform/feature.ts'
import { auditedKey, keyFacts } from './facts.ts'
import { keyLookUpRoutes } from './look-up-routes.ts'
import { ownKeyRoutes } from './own-routes.ts'
import { userKeyRoutes } from './user-routes.ts'

/** The SSH keys of people. */
export const keys: Feature = {
  areas: [{ name: 'SSH keys', about: 'The SSH keys of users, and whose key it is.', segments: ['keys'] }],
  routes: [ownKeyRoutes, userKeyRoutes, keyLookUpRoutes],
  facts: keyFacts,
  audited: auditedKey,
}
