import { type RawBuilder, sql } from 'kysely'
import { levels } from '#platform/access/roles.ts'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { archivedAt, directLevelAt, inheritedLevelAt, visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { NamespaceKind } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { avatarOfNamespace } from '#identity/namespaces/entity.ts'
import { sharesAt } from '#tenancy/shares/entity.ts'
import { topicNames } from '#tenancy/topics/queries.ts'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import { projectExtensions } from './extension-points.ts'
import type { StoredSettings } from './project-settings.ts'

export interface ParentRow {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly kind: NamespaceKind
  readonly full_path: string
  readonly parent_id: number | null
  readonly owner_id: number | null
  readonly avatar: string | null
}

/** A project with its namespace, the owner of a personal one, and columns that depend on the viewer. */
export type ProjectRow = Awaited<ReturnType<ReturnType<typeof projectsFor>['executeTakeFirstOrThrow']>>

/**
 * All projects that the viewer may see, each with everything that presenters need. Relations come as JSON, so that a
 * page is one statement.
 */
export function projectsFor(db: Db | Tx['db'], viewer: SqlViewer) {
  const level = sql<number>`greatest(role.direct_level, role.inherited_level)`
  const has = (least: number) =>
    viewer.admin ? sql<boolean>`true` : sql<boolean>`${level} >= ${sql.lit(least)}`
  return (
    db
      .selectFrom('projects as p')
      .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
      .innerJoinLateral(roleAt('n', viewer).as('role'), (join) => join.onTrue())
      // A constant, not a parameter, because the partial indexes cover only projects.
      .where(sql<boolean>`n.kind = 'project'`)
      .where(visibleTo('n', viewer, has(levels.guest)))
      .select([
        'p.id',
        'p.creator_id',
        'p.star_count',
        'p.last_activity_at',
        'n.name',
        'n.full_name',
        'n.path',
        'n.full_path',
        'n.description',
        'n.avatar',
        'n.visibility',
        'n.created_at',
        'n.updated_at',
        'role.direct_level',
        'role.inherited_level',
      ])
      .select([
        sql<StoredSettings>`p.settings`.as('settings'),
        archivedAt('n').as('archived_here'),
        sql<ParentRow>`(
        select json_build_object('id', a.id, 'name', a.name, 'path', a.path, 'kind', a.kind,
            'full_path', a.full_path, 'parent_id', a.parent_id, 'owner_id', a.owner_id,
            'avatar', ${avatarOfNamespace('a')})
          from namespaces a where a.id = n.parent_id)`.as('parent'),
        sql<UserBasicRow | null>`(
        select ${userBasicJson('u')}
          from namespaces a join users u on u.id = a.owner_id where a.id = n.parent_id)`.as('owner'),
        sharesAt('n', viewer, has(levels.maintainer)).as('shared_with_groups'),
        topicNames('p').as('topics'),
      ])
      .select(projectExtensions.entries.flatMap((extension) => extension.columns?.(viewer, has) ?? []))
  )
}

/** The viewer's role at a node, computed once for each row: other columns depend on it. */
function roleAt(
  node: string,
  viewer: SqlViewer,
): RawBuilder<{ direct_level: number; inherited_level: number }> {
  // Without the offset, PostgreSQL would compute it for each use.
  return sql`(select ${directLevelAt(node, viewer)} as direct_level, ${inheritedLevelAt(node, viewer)} as inherited_level
    offset 0)`
}
