import { sql } from 'kysely'
import type { AuthorizedProject, ProjectContainer } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { badRequest, conflict, known } from '#platform/refusals.ts'
import { lockProject } from '#tenancy/projects/lock-project.ts'
import { relate } from './fork-project.ts'

/**
 * Makes one project a fork of another.
 * @throws 409 when it is a fork already, 400 when the source comes from it.
 */
export async function addForkRelation(
  tx: Tx,
  { container }: Pick<AuthorizedProject, 'container'>,
  source: ProjectContainer,
): Promise<void> {
  await lockProject(tx, container.namespace_id)
  const forked = await tx.db
    .selectFrom('project_forks')
    .select('source_id')
    .where('project_id', '=', container.id)
    .executeTakeFirst()
  if (forked !== undefined) throw conflict(known('project-forked'))
  const { rows } = await sql<{ id: number }>`
    with recursive above (id) as (
      select ${source.id}::bigint union select f.source_id from project_forks f join above a on f.project_id = a.id)
    select id from above where id = ${container.id}`.execute(tx.db)
  if (rows.length > 0) throw badRequest('a project cannot be a fork of itself or of its forks')
  await relate(tx, container.id, source, 'finished')
}

/** Ends that a project is a fork. @returns whether it was one */
export async function removeForkRelation(
  tx: Tx,
  { container }: Pick<AuthorizedProject, 'container'>,
): Promise<boolean> {
  const removed = await tx.db
    .deleteFrom('project_forks')
    .where('project_id', '=', container.id)
    .returning('source_id')
    .executeTakeFirst()
  if (removed === undefined) return false
  record(tx, {
    name: 'fork relation removed',
    namespace: container.namespace_id,
    target: { type: 'Project', id: container.id },
    details: { source_id: removed.source_id },
  })
  return true
}
