import type { FastifyRequest } from 'fastify'
import { admin, group, project, type Subject, type Tier } from '#platform/access/route-access.ts'
import type { HookOwner } from './entity.ts'
import type { HookKind } from './triggers.ts'

/** How routes that all kinds of hooks have differ for one kind. */
export interface HookOwnerKind {
  readonly kind: HookKind
  readonly base: '/projects/:id/hooks' | '/groups/:id/hooks' | '/hooks'
  /** In the API's description. */
  readonly noun: string
  readonly subject: (ability: 'read_hook' | 'admin_hook') => Subject
  readonly tier: { readonly tier?: Tier }
  readonly ownerOf: (req: FastifyRequest) => HookOwner
}

export const groupHookTier: Tier = { licensedArea: 'Group webhooks', plan: 'premium' }

export const hookOwnerKinds: readonly HookOwnerKind[] = [
  {
    kind: 'project',
    base: '/projects/:id/hooks',
    noun: 'a project',
    subject: project,
    tier: {},
    ownerOf: (req) => {
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
    ownerOf: (req) => {
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
    ownerOf: () => ({ kind: 'system', id: 0, namespaceId: null }),
  },
]
