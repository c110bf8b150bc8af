import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { Viewer } from '#platform/access/viewer.ts'
import { visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { iso } from '#platform/http/time.ts'
import type { ProjectIdentityRow } from '#identity/namespaces/project-identity.ts'
import type { KeyInProject } from '#identity/keys/entity.ts'

/** A public deploy key may be enabled everywhere, so an answer names some of its projects only. */
const MAX_PROJECTS = 100

/** A project in which a deploy key is enabled. */
export interface EnabledProject extends ProjectIdentityRow {
  readonly key_id: number
  readonly can_push: boolean
}

/** The projects of these deploy keys that the viewer may see, those to which a key may push first. One statement. */
export async function enabledProjects(
  db: Db | Tx['db'],
  keyIds: readonly number[],
  viewer: Viewer,
): Promise<readonly EnabledProject[]> {
  if (keyIds.length === 0) return []
  const { rows } = await sql<EnabledProject>`
    select k.id as key_id, e.can_push, e.id, e.description, e.name, e.full_name, e.path, e.full_path, e.created_at
    from unnest(${[...keyIds]}::bigint[]) as k (id) cross join lateral (
      select d.can_push, p.id, n.description, n.name, n.full_name, n.path, n.full_path, n.created_at
      from deploy_key_projects d join projects p on p.id = d.project_id
        join namespaces n on n.id = p.project_namespace_id
      where d.key_id = k.id and ${visibleTo('n', viewer)}
      order by d.can_push desc, d.project_id limit ${sql.lit(MAX_PROJECTS)}) as e`.execute(db)
  return rows
}

/** The same for administrators who look a key up, without the names of the projects. */
export async function keyInAllProjects(db: Db, keyId: number): Promise<Static<typeof KeyInProject>[]> {
  const rows = await db
    .selectFrom('deploy_key_projects')
    .select(['id', 'project_id', 'can_push', 'created_at', 'updated_at'])
    .where('key_id', '=', keyId)
    .orderBy('can_push', 'desc')
    .orderBy('project_id')
    .limit(MAX_PROJECTS)
    .execute()
  return rows.map(({ created_at, updated_at, ...row }) => ({
    ...row,
    deploy_key_id: keyId,
    created_at: iso(created_at),
    updated_at: iso(updated_at),
  }))
}
