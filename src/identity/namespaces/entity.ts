import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { avatarUrl } from '#identity/avatars/avatar-url.ts'
import type { Plan } from '#platform/access/route-access.ts'
import type { NamespaceKind } from '#platform/db/schema.ts'
import { flat } from '#platform/http/flat.ts'
import { entity, integer, nullable, oneOf } from '#platform/http/schema.ts'

/** The namespace of a project, or the short form of any namespace. */
export const NamespaceBasic = entity('NamespaceBasic', {
  id: integer(),
  name: Type.String(),
  path: Type.String(),
  kind: oneOf<NamespaceKind>(['user', 'group', 'project']),
  full_path: Type.String(),
  parent_id: nullable(integer()),
  avatar_url: nullable(Type.String()),
  web_url: Type.String(),
})

export interface NamespaceBasicRow {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly kind: NamespaceKind
  readonly full_path: string
  readonly parent_id: number | null
  /** The owner, when it is a user's namespace. */
  readonly owner_id: number | null
  /** The key of the avatar: the group's, or the owner's. */
  readonly avatar: string | null
}

/** SQL for that key, in statements where `namespace` is the alias of `namespaces`. */
export function avatarOfNamespace(namespace: string): RawBuilder<string | null> {
  const of = (column: string) => sql.ref(`${namespace}.${column}`)
  return sql<string | null>`case when ${of('owner_id')} is null then ${of('avatar')}
    else (select o.avatar from users o where o.id = ${of('owner_id')}) end`
}

/** @param site where the web pages live: `req.site`. */
export function presentNamespaceBasic(row: NamespaceBasicRow, site: string): Static<typeof NamespaceBasic> {
  return {
    id: row.id,
    name: row.name,
    path: row.path,
    kind: row.kind,
    full_path: row.full_path,
    parent_id: row.parent_id,
    avatar_url:
      row.owner_id === null
        ? avatarUrl(site, 'group', row.id, row.avatar)
        : avatarUrl(site, 'user', row.owner_id, row.avatar),
    web_url: row.kind === 'group' ? flat`${site}/groups/${row.full_path}` : flat`${site}/${row.full_path}`,
  }
}

const ofGroups = { description: 'Only of groups.' }

/** A namespace on its own. Only its owners get the fields after the basic ones. */
export const Namespace = entity('Namespace', {
  ...NamespaceBasic.properties,
  ...Type.Partial(
    Type.Object({
      members_count_with_descendants: integer(ofGroups),
      root_repository_size: integer({ description: 'Bytes of the repositories below. Only of groups.' }),
      projects_count: integer(ofGroups),
      billable_members_count: integer(),
      plan: Type.String(),
      trial_ends_on: Type.Null({ description: 'There are no trials.' }),
      trial: Type.Boolean({ description: 'There are no trials.' }),
    }),
  ).properties,
})

export interface NamespaceRow extends NamespaceBasicRow {
  readonly administers: boolean
}

export interface NamespaceCounts {
  readonly members: number
  readonly projects: number
  /** Bytes of their repositories. */
  readonly size: number
}

export interface NamespaceContext {
  /** Where the web pages live: `req.site`. */
  readonly site: string
  readonly plan: Plan
  readonly counts: ReadonlyMap<number, NamespaceCounts>
}

const noCounts: NamespaceCounts = { members: 0, projects: 0, size: 0 }

export function presentNamespaces(
  rows: readonly NamespaceRow[],
  { site, plan, counts }: NamespaceContext,
): Static<typeof Namespace>[] {
  return rows.map((row) => {
    const basic = presentNamespaceBasic(row, site)
    const { members, projects, size } = counts.get(row.id) ?? noCounts
    if (!row.administers) return basic
    return {
      ...basic,
      ...(row.kind === 'group' && {
        members_count_with_descendants: members,
        root_repository_size: size,
        projects_count: projects,
      }),
      billable_members_count: members,
      plan,
      trial_ends_on: null,
      trial: false,
    }
  })
}
