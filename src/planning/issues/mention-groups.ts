import { sql } from 'kysely'
import { Type } from 'typebox'
import { current, readableBy } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { dayOf } from '#platform/http/time.ts'
import { defineTask } from '#platform/jobs/task.ts'
import { parseReferences } from '#planning/references/parse-references.ts'

/** People in a transaction. */
const BATCH = 1_000

/**
 * Keeps that the members of groups are named in a text on an issue, as far as they may read it. A job, because a group
 * may have thousands of members. A text that was changed meanwhile has a job of its own.
 */
export const mentionGroups = defineTask(
  'issues/mention-groups',
  'short',
  Type.Object({
    issue_id: Type.Integer(),
    /** Null for title and description. */
    note_id: Type.Union([Type.Integer(), Type.Null()]),
    /** Those that the writer may see. */
    group_ids: Type.Array(Type.Integer()),
  }),
  async ({ issue_id, note_id, group_ids }, job) => {
    const paths = await pathsNamedIn(job.db, issue_id, note_id)
    const today = dayOf(job.clock.now())
    let after = 0
    for (;;) {
      job.signal.throwIfAborted()
      const last = await job.transact(async (tx) => {
        const { rows } = await sql<{ last: number | null }>`
          with people as (
            select distinct m.user_id as id from members m join namespaces g on g.id = m.namespace_id
            where g.id = any(${group_ids}::bigint[]) and lower(g.full_path) = any(${paths}::text[])
              and m.user_id > ${after} and ${current('m', today)}
            order by m.user_id limit ${BATCH}
          ), named as (
            insert into user_mentions (noteable_id, note_id, user_id)
            select i.id, x.id, u.id
            from issues i
              join projects p on p.id = i.project_id
              join namespaces n on n.id = p.project_namespace_id
              left join notes x on x.id = ${note_id}::bigint and x.noteable_id = i.id
              join users u on u.id in (select id from people)
            where i.id = ${issue_id} and x.id is not distinct from ${note_id}::bigint and ${readableBy('n', 'u', today)}
            on conflict do nothing
          )
          select max(id) as last from people`.execute(tx.db)
        return rows[0]?.last ?? null
      })
      if (last === null) return
      after = last
    }
  },
)

/** The paths that the text names now, in lower case. */
async function pathsNamedIn(db: Db, issueId: number, noteId: number | null): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select case when ${noteId}::bigint is null then i.title || e'\n\n' || coalesce(i.description, '') else x.body end as text
    from issues i left join notes x on x.id = ${noteId}::bigint
    where i.id = ${issueId}`.execute(db)
  return parseReferences(rows[0]?.text ?? '', '').flatMap((one) =>
    one.kind === 'mention' ? [one.path.toLowerCase()] : [],
  )
}
