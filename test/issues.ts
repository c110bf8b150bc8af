import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'

/** Runs an `insert into issues …` for many issues at once, and gives each its noteable as the program does. */
export async function insertIssues(db: Db, insert: RawBuilder<unknown>): Promise<void> {
  await sql`
    with made as (${insert} returning id, project_id, updated_at)
    insert into noteables (id, kind, namespace_id, updated_at)
    select made.id, 'issue', p.project_namespace_id, made.updated_at from made join projects p on p.id = made.project_id`.execute(
    db,
  )
}
