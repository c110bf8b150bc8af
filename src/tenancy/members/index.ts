import type { Feature } from '#platform/feature.ts'
import { memberAbilities } from './abilities.ts'
import { auditedMember, memberFacts } from './facts.ts'
import { memberRoutes } from './routes.ts'

/** Who takes part in a project or group, and with which role. */
export const members: Feature = {
  areas: [
    {
      name: 'Members',
      about: 'Members of projects and groups, and their roles.',
      segments: ['members', 'invitations', 'access_requests'],
    },
  ],
  routes: [memberRoutes],
  abilities: memberAbilities,
  facts: memberFacts,
  audited: auditedMember,
}
