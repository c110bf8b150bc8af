import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'

/** The project whose commits they are. */
export interface NotedIn {
  readonly id: number
  readonly namespace_id: number
}

/**
 * Gives commits of a project their rows among the noteables, unless they have them.
 * @returns the ids of the noteables by those of the commits.
 */
export async function insertNotedCommits(
  tx: Tx,
  project: NotedIn,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const shas = [...new Set(ids)].toSorted()
  if (shas.length === 0) return new Map()
  await sql`
    with made as (
      insert into noted_commits (project_id, sha)
      select ${project.id}::bigint, sha from unnest(${shas}::text[]) as sha
      -- Most are new. For the others, a conflict would still take a number from the sequence.
      where not exists (select 1 from noted_commits c where c.project_id = ${project.id} and c.sha = sha.sha)
      on conflict do nothing
      returning id
    ), noteable as ${insertNoteables('made', {
      kind: 'commit',
      namespaceId: project.namespace_id,
      updatedAt: tx.now,
    })}
    select`.execute(tx.db)
  const rows = await tx.db
    .selectFrom('noted_commits')
    .select(['id', 'sha'])
    .where('project_id', '=', project.id)
    .where(sql<boolean>`sha = any(${shas}::text[])`)
    .execute()
  return new Map(rows.map(({ id, sha }) => [sha, id]))
}
