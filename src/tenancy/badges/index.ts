import type { Feature } from '#platform/feature.ts'
import { badgeAbilities } from './abilities.ts'
import { auditedBadge, badgeFacts } from './facts.ts'
import { badgeRoutes } from './routes.ts'

/** Badges of projects and groups. */
export const badges: Feature = {
  areas: [
    {
      name: 'Badges',
      about: 'Badges of projects and groups: pictures with links, whose URLs may have placeholders.',
      segments: ['badges'],
    },
  ],
  routes: [badgeRoutes],
  abilities: badgeAbilities,
  facts: badgeFacts,
  audited: auditedBadge,
}
