import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { memberAbilities } from './abilities.ts'
import { endExpired } from './end-expired.ts'
import { auditedMember, memberFacts } from './facts.ts'
import { memberRoutes } from './routes.ts'

/** The members of projects and groups, and their roles. */
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
  unique: { members_user_key: { attribute: 'user', conflict: knownTexts['member-exists'] } },
  facts: memberFacts,
  audited: auditedMember,
  tasks: [endExpired],
  schedule: [daily('00:05', endExpired, {})],
}
