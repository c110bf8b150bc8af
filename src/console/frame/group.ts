import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { movedTo } from '#platform/http/errors.ts'
import { groupDetailEntity } from '#tenancy/groups/entity.ts'
import type { FastifyRequest } from 'fastify'
import { type Api, path } from './api.ts'
import { behindPath, namespaceLinks, placeHeader } from './place.ts'

export type GroupDetail = Static<ReturnType<typeof groupDetailEntity>>

/** The parameter of a group's path. */
export const OfGroup = { group: text({ max: MAX_PATH }) }

/** What groups have pages of, by area, and how their addresses end. */
const areas = {
  Overview: { Group: undefined, Members: 'group_members' },
  Plan: {
    Issues: 'issues',
    Boards: 'boards',
    Epics: 'epics',
    Milestones: 'milestones',
    Labels: 'labels',
    Wiki: 'wikis',
  },
  'Merge requests': { 'Merge requests': 'merge_requests' },
  Deploy: { Releases: 'releases', Packages: 'packages', Images: 'container_registries' },
  Search: { Search: 'search' },
  Settings: {
    General: 'edit',
    Repository: 'settings/repository',
    'CI/CD': 'settings/ci_cd',
    'Package rules': 'settings/packages_and_registries',
    'Access tokens': 'settings/access_tokens',
    Webhooks: 'hooks',
    Badges: 'settings/badges',
  },
} as const
type PartsOf<Area> = Area extends unknown ? keyof Area : never
export type GroupPart = PartsOf<(typeof areas)[keyof typeof areas]>

/**
 * The group that the address of a page names.
 * @throws 301 to the address with the path as it is now, 404
 */
export async function groupOf(api: Api, request: FastifyRequest, named: string): Promise<GroupDetail> {
  const group = await api.get(groupDetailEntity(), path`/groups/${named}`, { with_projects: false })
  if (group.full_path === named || request.method === 'POST') return group
  throw movedTo(`/groups/${group.full_path}${behindPath(request.originalUrl)}`)
}

/** The address of a page of a group: `groupPageOf(group, 'issues')`. */
export const groupPageOf = ({ full_path }: Pick<GroupDetail, 'full_path'>, page: string): string =>
  `/groups/${full_path}/-/${page}`

/** The header of the pages of a group. */
export function groupHeader(group: GroupDetail, here: GroupPart): Html {
  const around = group.full_path.split('/').slice(0, -1).join('/')
  const where = html`${around !== '' && namespaceLinks(around)}
    <a href="/${group.full_path}"><strong>${group.name}</strong></a>
    <span class="badge">${group.visibility}</span>`
  const addressOf = (word: string | undefined) =>
    word === undefined ? `/${group.full_path}` : groupPageOf(group, word)
  // Only owners are told of the token of runners.
  const isOwner = group.runners_token !== undefined
  const all = Object.entries(areas).map(([title, parts]) => ({
    title,
    parts: (isOwner || title !== 'Settings' ? Object.entries(parts) : []).map(([part, word]) => ({
      title: part,
      address: addressOf(word),
    })),
  }))
  return placeHeader(group.name, where, all, here)
}
