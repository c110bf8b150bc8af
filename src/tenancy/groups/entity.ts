import { type Static, Type } from 'typebox'
import type { Viewer } from '#platform/access/viewer.ts'
import { avatarUrl } from '#identity/avatars/avatar-url.ts'
import type { Json, Visibility } from '#platform/db/schema.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { flat } from '#platform/http/flat.ts'
import { entity, integer, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { onlyOne } from '#platform/sequences.ts'
import type { Audience } from '#tenancy/projects/audience.ts'
import { SharedWithGroup, sharesOf } from '#tenancy/shares/entity.ts'
import { type Sizes, sizesIn, StorageSizes } from '#identity/namespaces/storage-sizes.ts'
import { numberOf } from './branch-protection.ts'
import { groupProjects, projectsOf } from './group-projects.ts'
import {
  DetailSettings,
  detailSettings,
  OwnerSettings,
  ownerSettings,
  PresentedSettings,
  presentedSettingsOf,
} from './group-settings.ts'

const Statistics = entity('GroupStatistics', StorageSizes)

/** A group in lists. */
export const Group = entity('Group', {
  id: integer(),
  web_url: Type.String(),
  name: Type.String(),
  path: Type.String(),
  description: nullable(Type.String()),
  visibility: oneOf<Visibility>(['private', 'internal', 'public']),
  ...PresentedSettings.properties,
  emails_disabled: Type.Boolean({ deprecated: true }),
  archived: Type.Boolean(),
  default_branch_protection: integer({ deprecated: true }),
  avatar_url: nullable(Type.String()),
  full_name: Type.String(),
  full_path: Type.String(),
  created_at: Type.String(),
  parent_id: nullable(integer()),
  organization_id: integer(),
  marked_for_deletion_on: nullable(Type.String()),
  repository_storage: Type.String(),
  statistics: Type.Optional(Statistics),
  custom_attributes: Type.Optional(Type.Array(Type.Object({ key: Type.String(), value: Type.String() }))),
})

/** A group on its own. Made once the features have said what projects have. */
export const groupDetailEntity = () =>
  entity('GroupDetail', {
    ...Group.properties,
    ...DetailSettings.properties,
    /** Only for owners. */
    ...Type.Partial(OwnerSettings).properties,
    shared_with_groups: Type.Array(SharedWithGroup),
    runners_token: Type.Optional(nullable(Type.String())),
    ...groupProjects(),
  })
export type GroupDetail = Static<ReturnType<typeof groupDetailEntity>>

/** A group in short, in lists of groups to choose from. */
export const GroupIdentity = entity('GroupIdentity', {
  id: integer(),
  web_url: Type.String(),
  name: Type.String(),
  avatar_url: nullable(Type.String()),
  full_name: Type.String(),
  full_path: Type.String(),
})
export const InvitedGroup = entity('InvitedGroup', {
  id: integer(),
  web_url: Type.String(),
  name: Type.String(),
})

/** The columns of `namespaces` that the presenters need; the container of an authorized group has them. */
export interface GroupRow {
  readonly id: number
  readonly organization_id: number
  readonly parent_id: number | null
  readonly name: string
  readonly path: string
  readonly full_name: string
  readonly full_path: string
  readonly description: string | null
  readonly visibility: Visibility
  readonly archived: boolean
  /** The key of the avatar. */
  readonly avatar: string | null
  readonly settings: Json
  readonly created_at: string
}

export interface Looking {
  readonly viewer: Viewer
  /** Where the web pages live: `req.site`. */
  readonly site: string
}

interface Extras {
  readonly statistics?: boolean
  readonly with_custom_attributes?: boolean
}

/** @param extras additional fields that the request asked for; only administrators get them. */
export async function presentGroups(
  db: Db | Tx['db'],
  rows: readonly GroupRow[],
  { viewer, site }: Looking,
  extras: Extras = {},
): Promise<Static<typeof Group>[]> {
  const ids = extras.statistics && viewer.admin ? rows.map(({ id }) => id) : []
  const sizes: ReadonlyMap<number, Sizes> = await sizesIn(db, ids)
  return rows.map((row) => {
    const statistics = sizes.get(row.id)
    const settings = presentedSettingsOf(row.settings)
    return {
      ...presentGroupIdentity(row, site),
      ...settings,
      path: row.path,
      description: row.description ?? '',
      visibility: row.visibility,
      emails_disabled: !settings.emails_enabled,
      archived: row.archived,
      default_branch_protection: numberOf(settings.default_branch_protection_defaults),
      created_at: iso(row.created_at),
      parent_id: row.parent_id,
      organization_id: row.organization_id,
      marked_for_deletion_on: null,
      repository_storage: 'default',
      ...(statistics === undefined ? {} : { statistics }),
      ...(extras.with_custom_attributes && viewer.admin ? { custom_attributes: [] } : {}),
    }
  })
}

export interface DetailOptions extends Audience, Extras {
  /** Whether the viewer owns the group. */
  readonly owner: boolean
  readonly withProjects: boolean
}

/** One group with the groups invited to it and, unless the request leaves them out, its projects. */
export async function presentGroupDetail(
  db: Db | Tx['db'],
  row: GroupRow,
  options: DetailOptions,
): Promise<GroupDetail> {
  const group = onlyOne(await presentGroups(db, [row], options, options))
  const shares = await sharesOf(db, [row.id], options.viewer)
  return {
    ...group,
    ...detailSettings(row.settings),
    shared_with_groups: shares.get(row.id) ?? [],
    ...(options.owner ? { ...ownerSettings(row.settings), runners_token: null } : {}),
    ...(options.withProjects ? await projectsOf(db, row.id, options) : {}),
  }
}

export function presentInvitedGroup(
  { id, name, full_path }: Pick<GroupRow, 'id' | 'name' | 'full_path'>,
  site: string,
): Static<typeof InvitedGroup> {
  return { id, web_url: groupPage(site, full_path), name }
}

const groupPage = (site: string, path: string) => flat`${site}/groups/${path}`

type Identified = Pick<GroupRow, 'id' | 'name' | 'full_name' | 'full_path' | 'avatar'>

export function presentGroupIdentity(row: Identified, site: string): Static<typeof GroupIdentity> {
  return {
    id: row.id,
    web_url: groupPage(site, row.full_path),
    name: row.name,
    avatar_url: avatarUrl(site, 'group', row.id, row.avatar),
    full_name: row.full_name,
    full_path: row.full_path,
  }
}
