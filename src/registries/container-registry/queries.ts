import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ListOrder } from '#platform/http/order.ts'
import type { TagDetails } from './entity.ts'

/** As they were made. */
export const repositoryOrder: ListOrder = {
  of: 'ContainerRepository',
  id: 'r.id',
  columns: { id: { column: 'r.id' } },
  by: 'id',
  sort: 'asc',
}

export const repositories = (db: Db | Tx['db']) =>
  db
    .selectFrom('container_repositories as r')
    .innerJoin('projects as p', 'p.id', 'r.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['r.id', 'r.name', 'r.project_id', 'r.created_at', 'r.cleanup_policy_started_at', 'r.status'])
    .select('n.full_path')
    .where('n.deleted_at', 'is', null)

/** By name, which is the only order. Keyset pages go on after the last name (list-tags.ts). */
export const tagOrder: ListOrder = {
  of: 'ContainerTag',
  id: 't.name',
  columns: { name: { column: 't.name' } },
  by: 'name',
  sort: 'asc',
  keyset: { orders: { name: ['asc', 'desc'] }, availability: 'authenticated' },
}

export const tags = (db: Db, repositoryId: number) =>
  db.selectFrom('container_tags as t').select('t.name').where('t.repository_id', '=', repositoryId)

/** How many tags repositories have. One statement. */
export async function tagCounts(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('container_tags')
    .select(['repository_id', (q) => q.fn.countAll<number>().as('count')])
    .where('repository_id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .groupBy('repository_id')
    .execute()
  return new Map(rows.map(({ repository_id, count }) => [repository_id, count]))
}

/** Tags that an answer with repositories has of each. */
const MOST_TAGS = 100

/** The first tags of repositories. One statement. */
export async function firstTags(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string[]>> {
  const { rows } = await sql<{ id: number; names: string[] }>`
    select r.id, array(select t.name from container_tags t where t.repository_id = r.id order by t.name limit ${MOST_TAGS}) as names
    from unnest(${[...ids]}::bigint[]) as r (id)`.execute(db)
  return new Map(rows.map(({ id, names }) => [id, names]))
}

/** Bytes of the blobs and manifests of a repository. */
export async function sizeOf(db: Db, id: number): Promise<number> {
  const { rows } = await sql<{ size: number }>`
    select ((select coalesce(sum(size), 0) from container_blobs where repository_id = ${id})
      + (select coalesce(sum(size), 0) from container_manifests where repository_id = ${id}))::bigint as size`.execute(
    db,
  )
  return rows[0]?.size ?? 0
}

export async function findTag(db: Db, repositoryId: number, name: string): Promise<TagDetails | undefined> {
  return db
    .selectFrom('container_tags as t')
    .innerJoin('container_manifests as m', 'm.id', 't.manifest_id')
    .select(['t.name', 'm.total_size', 't.created_at'])
    .select([
      sql<string>`encode(m.digest, 'hex')`.as('digest'),
      sql<string | null>`encode(m.config_digest, 'hex')`.as('config'),
    ])
    .where('t.repository_id', '=', repositoryId)
    .where('t.name', '=', name)
    .executeTakeFirst()
}
