import type { FastifyRequest } from 'fastify'
import type { PlaceKind } from '#access/places.ts'
import { group, project } from '#access/route-access.ts'
import type { Tier } from '#access/route-access.ts'
import type { Standing } from '#access/standing.ts'

/** What has access tokens of its own: a project or a group. */
export interface TokenPlace {
  readonly kind: PlaceKind
  /** Of the project or group. */
  readonly id: number
  readonly namespace_id: number
}

/** One as the caller of a request sees it. */
export interface OpenedPlace extends TokenPlace {
  readonly standing: Standing
  /** Whether the caller may rotate and revoke its tokens. */
  readonly mayEnd: boolean
}

const tierOf = (feature: string): Tier => ({ feature, plan: 'premium', planOn: ['hosted'] })

/** Both kinds: the same routes, with the rights of each. */
export const tokenPlaces = [
  {
    kind: 'project',
    tier: tierOf('Project access tokens'),
    see: project('read_project'),
    read: project('read_access_token'),
    create: project('create_access_token'),
    end: project('end_access_token'),
    open: (req: FastifyRequest): OpenedPlace => {
      const { place, standing, can } = req.project()
      const { id, namespace_id } = place
      return { kind: 'project', id, namespace_id, standing, mayEnd: can('end_access_token') }
    },
  },
  {
    kind: 'group',
    tier: tierOf('Group access tokens'),
    see: group('read_group'),
    read: group('read_access_token'),
    create: group('create_access_token'),
    end: group('end_access_token'),
    open: (req: FastifyRequest): OpenedPlace => {
      const { place, standing, can } = req.group()
      const { id, namespace_id } = place
      return { kind: 'group', id, namespace_id, standing, mayEnd: can('end_access_token') }
    },
  },
] as const
