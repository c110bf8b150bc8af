import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { isHeld } from '#platform/access/held-nodes.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { levelAt, visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { NamespaceKind, Visibility } from '#platform/db/schema.ts'
import { flat } from '#platform/http/flat.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { integer, list, nullable } from '#platform/http/schema.ts'
import { avatarOfNamespace, NamespaceBasic, presentNamespaceBasic } from '#identity/namespaces/entity.ts'
import { presentProjectIdentity, projectIdentity } from '#identity/namespaces/project-identity.ts'

/** The groups and projects that a token can access, in short. */
export const Associations = Type.Object({
  groups: list(
    Type.Object({
      id: integer(),
      web_url: Type.String(),
      name: Type.String(),
      parent_id: nullable(integer()),
      organization_id: integer(),
      access_levels: integer(),
      visibility: Type.String(),
    }),
  ),
  projects: list(
    Type.Object({
      ...projectIdentity,
      access_levels: Type.Object({
        project_access_level: nullable(integer()),
        group_access_level: nullable(integer()),
      }),
      visibility: Type.String(),
      web_url: Type.String(),
      namespace: NamespaceBasic,
    }),
  ),
})

export const groupOrder: ListOrder = {
  of: 'Group',
  id: 'n.id',
  columns: { name: { column: 'n.name' } },
  by: 'name',
  sort: 'asc',
}
export const projectOrder: ListOrder = { ...groupOrder, of: 'Project', id: 'p.id' }

/** Groups where the viewer has at least this level, by membership, inheritance or a share. */
export function groupsOf(db: Db, viewer: Viewer, level: number = levels.guest) {
  return db
    .selectFrom('namespaces as n')
    .select(['n.id', 'n.name', 'n.full_path', 'n.parent_id', 'n.organization_id', 'n.visibility'])
    .select(levelAt('n', viewer).as('level'))
    .where('n.kind', '=', 'group')
    .where(visibleTo('n', viewer))
    .where(isHeld('n', viewer, level, 'groups'))
}

/**
 * Projects where the viewer has at least this level, with the levels that come from the project and from its groups.
 */
export function projectsOf(db: Db, viewer: Viewer, level: number = levels.guest) {
  return db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .innerJoin('namespaces as parent', 'parent.id', 'n.parent_id')
    .select([
      'p.id',
      'n.description',
      'n.name',
      'n.full_name',
      'n.path',
      'n.full_path',
      'n.created_at',
      'n.visibility',
      'parent.id as parent_id',
      'parent.name as parent_name',
      'parent.path as parent_path',
      'parent.kind as parent_kind',
      'parent.full_path as parent_full_path',
      'parent.parent_id as grandparent_id',
      'parent.owner_id as parent_owner_id',
    ])
    .select([
      avatarOfNamespace('parent').as('parent_avatar'),
      sql<number | null>`(select m.access_level from members m
        where m.namespace_id = n.id and m.user_id = ${viewer.id}
          and (m.expires_at is null or m.expires_at > ${viewer.today}::date))`.as('project_level'),
      sql<number | null>`nullif(${levelAt('parent', viewer)}, 0)`.as('group_level'),
    ])
    .where(visibleTo('n', viewer))
    .where(isHeld('n', viewer, level))
}

interface GroupRow {
  id: number
  name: string
  full_path: string
  parent_id: number | null
  organization_id: number
  visibility: Visibility
  level: number
}

interface ProjectRow {
  id: number
  description: string | null
  name: string
  full_name: string
  path: string
  full_path: string
  created_at: string
  visibility: Visibility
  parent_id: number
  parent_name: string
  parent_path: string
  parent_kind: NamespaceKind
  parent_full_path: string
  grandparent_id: number | null
  parent_owner_id: number | null
  parent_avatar: string | null
  project_level: number | null
  group_level: number | null
}

/** @param site where the web pages live: `req.site`. */
export function presentAssociations(
  groups: readonly GroupRow[],
  projects: readonly ProjectRow[],
  site: string,
): Static<typeof Associations> {
  return {
    groups: groups.map(({ id, name, parent_id, organization_id, visibility, level, full_path }) => ({
      id,
      web_url: flat`${site}/groups/${full_path}`,
      name,
      parent_id,
      organization_id,
      access_levels: level,
      visibility,
    })),
    projects: projects.map((row) => ({
      ...presentProjectIdentity(row),
      access_levels: { project_access_level: row.project_level, group_access_level: row.group_level },
      visibility: row.visibility,
      web_url: flat`${site}/${row.full_path}`,
      namespace: presentNamespaceBasic(
        {
          id: row.parent_id,
          name: row.parent_name,
          path: row.parent_path,
          kind: row.parent_kind,
          full_path: row.parent_full_path,
          parent_id: row.grandparent_id,
          owner_id: row.parent_owner_id,
          avatar: row.parent_avatar,
        },
        site,
      ),
    })),
  }
}
