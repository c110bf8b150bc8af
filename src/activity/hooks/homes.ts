import type { FastifyRequest } from 'fastify'
import { admin, group, project, type Subject, type Tier } from '#platform/access/route-access.ts'
import type { HookHome } from './entity.ts'
import type { HookKind } from './triggers.ts'

/** The hooks of projects, of groups or of the instance, for routes that all of them have. */
export interface HookPlace {
  readonly kind: HookKind
  readonly base: '/projects/:id/hooks' | '/groups/:id/hooks' | '/hooks'
  /** In the API's description. */
  readonly noun: string
  readonly subject: (ability: 'read_hook' | 'admin_hook') => Subject
  readonly tier: { readonly tier?: Tier }
  readonly home: (req: FastifyRequest) => HookHome
}

export const groupHookTier: Tier = { licensedArea: 'Group webhooks', plan: 'premium' }

export const hookPlaces: readonly HookPlace[] = [
  {
    kind: 'project',
    base: '/projects/:id/hooks',
    noun: 'a project',
    subject: project,
    tier: {},
    home: (req) => {
      const { id, namespace_id } = req.project().container
      return { kind: 'project', id, namespaceId: namespace_id }
    },
  },
  {
    kind: 'group',
    base: '/groups/:id/hooks',
    noun: 'a group',
    subject: group,
    tier: { tier: groupHookTier },
    home: (req) => {
      const { id, namespace_id } = req.group().container
      return { kind: 'group', id, namespaceId: namespace_id }
    },
  },
  {
    kind: 'system',
    base: '/hooks',
    noun: 'the instance',
    subject: () => admin,
    tier: {},
    home: () => ({ kind: 'system', id: 0, namespaceId: null }),
  },
]
