import { sql } from 'kysely'
import { authorizeProject } from '#platform/access/authorize.ts'
import type { Db } from '#platform/db/pool.ts'
import { transact, type TransactionSource } from '#platform/db/transaction.ts'
import { NotAllowed, NotFound } from '#platform/refusals.ts'
import type { GitAccess, Service } from '#code/git-transport/access.ts'

/** Who needs objects that their project does not have, and whether they push. */
interface Adopter {
  readonly access: Pick<GitAccess, 'by' | 'person'>
  readonly service: Service
  readonly projectId: number
}

/**
 * Gives a project objects of its relatives that it needs, too. They stay counted where they were uploaded.
 *
 * - What merge requests bring, unless they were closed: their commits are here or will be, and whoever reads them needs the objects.
 * - What the source of a fork has, for somebody who pushes here and may read it there: they could upload the same bytes.
 *
 * All relatives are looked at, but not all who have an object: equal bytes may be in any number of other projects.
 * @param oids that the project does not have, in hexadecimal
 * @returns whether there were any
 */
export async function adoptObjects(
  source: TransactionSource,
  { access, service, projectId }: Adopter,
  oids: readonly string[],
): Promise<boolean> {
  if (oids.length === 0) return false
  const digests = oids.map((oid) => Buffer.from(oid, 'hex'))
  const pushes = service === 'git-receive-pack'
  const readable = pushes ? await readableSource(source.db, access, projectId, digests) : undefined
  // The limits keep PostgreSQL from looking through all who have an object.
  const { rows } = await sql<{ id: string }>`
    with relatives as materialized (${askingRelatives(projectId)} union all select ${readable ?? null}::bigint)
    select f.id
    from unnest(${digests}::bytea[]) as wanted (sha256)
      join files f on f.sha256 = wanted.sha256
      cross join lateral (
        select 1 from relatives r cross join lateral (
          select 1 from lfs_objects o where o.project_id = r.id and o.file_id = f.id limit 1) as held
        limit 1) as found`.execute(source.db)
  if (rows.length === 0) return false
  await transact(source, access.by, async (tx) => {
    await tx.db
      .insertInto('lfs_objects')
      .columns(['project_id', 'file_id', 'size', 'inherited', 'created_at'])
      .expression(
        sql`select p.id, f.id, f.size, true, ${tx.now}::timestamptz
          from (select id from projects where id = ${projectId} for key share) as p
            cross join (select id, size from files where id = any (${rows.map(({ id }) => id)}::text[])
              order by id for key share) as f`,
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
  return true
}

/**
 * The projects with merge requests into this one: its forks, and where it is a fork itself its source and other forks. Forks may be many
 * with few merge requests each.
 */
const askingRelatives = (projectId: number) => sql`
  select fork.project_id as id from project_forks fork
  where fork.source_id = ${projectId} and exists (select 1 from merge_requests m
    where m.source_project_id = fork.project_id and m.project_id = ${projectId} and m.state <> 'closed')
  union all (select distinct m.source_project_id from project_forks own join merge_requests m on m.project_id = own.project_id
    where own.project_id = ${projectId} and m.source_project_id <> ${projectId} and m.state <> 'closed')`

/** The source of a fork, if it has some of these objects, and the caller may read its code. */
async function readableSource(
  db: Db,
  { person }: Adopter['access'],
  projectId: number,
  digests: readonly Buffer[],
): Promise<number | undefined> {
  if (person === undefined) return undefined
  const { rows } = await sql<{ id: number }>`
    select fork.source_id as id from project_forks fork
    where fork.project_id = ${projectId} and exists (
      select 1 from files f join lfs_objects o on o.file_id = f.id and o.project_id = fork.source_id
      where f.sha256 = any (${digests}::bytea[]))`.execute(db)
  const [found] = rows
  if (found === undefined) return undefined
  try {
    await authorizeProject(db, person.viewer, String(found.id), 'download_code')
    return found.id
  } catch (error) {
    if (error instanceof NotFound || error instanceof NotAllowed) return undefined
    throw error
  }
}
