import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { levels } from '#platform/access/roles.ts'
import type { SqlViewer, Viewer } from '#platform/access/viewer.ts'
import { current, decidingOnce, groupVisibleTo, hasLevel } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { entity, integer, nullable } from '#platform/http/schema.ts'

/** An invited group, as the group or project shows it. */
export const SharedWithGroup = entity('SharedWithGroup', {
  group_id: integer(),
  group_name: Type.String(),
  group_full_path: Type.String(),
  group_access_level: integer(),
  expires_at: nullable(Type.String()),
})

/** A node of a share `s`, looked up: beside a costly condition, PostgreSQL would rather read all namespaces. */
const nodeOf = (id: 's.group_id' | 's.namespace_id') => sql<{
  id: number
  name: string
  full_path: string
  deleted_at: string | null
}>`(select i.id, i.kind, i.name, i.full_path, i.deleted_at, i.visibility, i.traversal_ids
    from namespaces i where i.id = ${sql.ref(id)} offset 0)`

/** Whether the viewer may see the invited group `g`. */
const isSeen = (viewer: SqlViewer) => decidingOnce(viewer, (once) => groupVisibleTo('g', once))

/**
 * The same as JSON, for statements about other rows: the groups invited to the namespace under the alias `node`.
 * @param maintains whether the viewer is a maintainer there.
 */
export function sharesAt(
  node: string,
  viewer: SqlViewer,
  maintains: RawBuilder<boolean>,
): RawBuilder<Static<typeof SharedWithGroup>[]> {
  const seen = sql`(${isSeen(viewer)} or (g.deleted_at is null
    and ${maintains}))`
  return sql`coalesce((
    select json_agg(json_build_object('group_id', g.id, 'group_name', g.name, 'group_full_path', g.full_path,
        'group_access_level', s.access_level, 'expires_at', s.expires_at) order by s.id)
      from shares s cross join lateral ${nodeOf('s.group_id')} g
      where s.namespace_id = ${sql.ref(`${node}.id`)} and ${current('s', viewer.today)} and ${seen}
    ), '[]')`
}

/**
 * The groups invited to each of these groups or projects, by the id of its namespace: those that the viewer may see or,
 * where the viewer is a maintainer, all. One statement.
 */
export async function sharesOf(
  db: Db | Tx['db'],
  namespaceIds: readonly number[],
  viewer: Viewer,
): Promise<Map<number, Static<typeof SharedWithGroup>[]>> {
  const found = new Map<number, Static<typeof SharedWithGroup>[]>(namespaceIds.map((id) => [id, []]))
  if (namespaceIds.length === 0) return found
  const rows = await db
    .selectFrom('shares as s')
    .innerJoinLateral(nodeOf('s.group_id').as('g'), (join) => join.onTrue())
    .innerJoinLateral(nodeOf('s.namespace_id').as('n'), (join) => join.onTrue())
    .select(['s.namespace_id', 's.group_id', 's.access_level', 's.expires_at', 'g.name', 'g.full_path'])
    .where('s.namespace_id', '=', (eb) => eb.fn.any(eb.val([...namespaceIds])))
    .where('g.deleted_at', 'is', null)
    .where((eb) => eb.or([eb('s.expires_at', 'is', null), eb('s.expires_at', '>', viewer.today)]))
    .where((eb) => eb.or([isSeen(viewer), hasLevel('n', viewer, levels.maintainer)]))
    .orderBy('s.id')
    .execute()
  for (const { namespace_id, name, full_path, access_level, group_id, expires_at } of rows) {
    found.get(namespace_id)?.push({
      group_id,
      group_name: name,
      group_full_path: full_path,
      group_access_level: access_level,
      expires_at,
    })
  }
  return found
}
