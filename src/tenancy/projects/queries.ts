import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { archivedAt, directLevelAt, inheritedLevelAt, visibleTo } from '#platform/access/visible.ts'
import { KeptTexts } from '#platform/db/prepare.ts'
import type { Db } from '#platform/db/pool.ts'
import type { NamespaceKind } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/http/errors.ts'
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
export function projectsFor(db: Db | Tx['db'], viewer: Viewer) {
  return (
    db
      .selectFrom('projects as p')
      .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
      // A constant, not a parameter, because the partial indexes cover only projects.
      .where(sql<boolean>`n.kind = 'project'`)
      .where(visibleTo('n', viewer))
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
      ])
      .select([
        sql<StoredSettings>`p.settings`.as('settings'),
        archivedAt('n').as('archived_here'),
        directLevelAt('n', viewer).as('direct_level'),
        inheritedLevelAt('n', viewer).as('inherited_level'),
        sql<ParentRow>`(
        select json_build_object('id', a.id, 'name', a.name, 'path', a.path, 'kind', a.kind,
            'full_path', a.full_path, 'parent_id', a.parent_id, 'owner_id', a.owner_id,
            'avatar', ${avatarOfNamespace('a')})
          from namespaces a where a.id = n.parent_id)`.as('parent'),
        sql<UserBasicRow | null>`(
        select ${userBasicJson('u')}
          from namespaces a join users u on u.id = a.owner_id where a.id = n.parent_id)`.as('owner'),
        sharesAt('n', viewer).as('shared_with_groups'),
        topicNames('p').as('topics'),
      ])
      .select(projectExtensions.entries.flatMap((extension) => extension.columns?.(viewer) ?? []))
  )
}

export type ProjectQuery = ReturnType<typeof projectsFor>

/** Keyed by how the viewer is seen, of which there are few ways. */
const one = new KeptTexts(8)

/**
 * Finds a project.
 * @throws 404 `Project Not Found` when it is gone or the viewer may not see it.
 */
export async function findProject(db: Db | Tx['db'], viewer: Viewer, id: number): Promise<ProjectRow> {
  const [project] = await one.run<ProjectRow>(db, projectsFor(db, viewer).where('p.id', '=', id))
  if (project === undefined) throw notFound('Project')
  return project
}
