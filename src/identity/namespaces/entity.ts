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

/** A namespace on its own. Only its owners get the fields after the basic ones. */
export const Namespace = entity('Namespace', {
  ...NamespaceBasic.properties,
  ...Type.Partial(
    Type.Object({
      members_count_with_descendants: nullable(integer()),
      root_repository_size: nullable(integer()),
      projects_count: nullable(integer()),
      billable_members_count: nullable(integer()),
      seats_in_use: nullable(integer()),
      max_seats_used: nullable(integer()),
      max_seats_used_changed_at: nullable(Type.String()),
      plan: nullable(Type.String()),
      end_date: nullable(Type.String()),
      trial_ends_on: nullable(Type.String()),
      trial: nullable(Type.Boolean()),
    }),
  ).properties,
})

export interface NamespaceRow extends NamespaceBasicRow {
  readonly administers: boolean
}

export interface NamespaceCounts {
  readonly members: number
  readonly projects: number
}

export interface NamespaceContext {
  /** Where the web pages live: `req.site`. */
  readonly site: string
  readonly plan: Plan
  readonly counts: ReadonlyMap<number, NamespaceCounts>
}

export function presentNamespaces(
  rows: readonly NamespaceRow[],
  { site, plan, counts }: NamespaceContext,
): Static<typeof Namespace>[] {
  return rows.map((row) => {
    const basic = presentNamespaceBasic(row, site)
    const { members = null, projects = null } = counts.get(row.id) ?? {}
    if (!row.administers) return basic
    return {
      ...basic,
      members_count_with_descendants: row.kind === 'group' ? members : null,
      root_repository_size: null,
      projects_count: projects,
      billable_members_count: members,
      seats_in_use: null,
      max_seats_used: null,
      max_seats_used_changed_at: null,
      plan,
      end_date: null,
      trial_ends_on: null,
      trial: false,
    }
  })
}
