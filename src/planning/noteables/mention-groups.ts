import { sql } from 'kysely'
import { Type } from 'typebox'
import { current, readableBy } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Author } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { dayOf } from '#platform/http/time.ts'
import { defineTask } from '#platform/jobs/task.ts'
import { parseReferences } from '#planning/references/parse-references.ts'
import { noteableKinds } from './kinds.ts'

/** Users handled in one transaction. */
const USERS_PER_TRANSACTION = 1_000

/**
 * Records the mentions of a group's members in a text on a noteable, if they may read it. It is a job, because a group
 * may have thousands of members. A text that was changed meanwhile has a job of its own.
 */
export const mentionGroups = defineTask(
  'issues/mention-groups',
  'short',
  Type.Object({
    noteable_id: Type.Optional(Type.Integer()),
    /** From jobs that were queued before noteables existed. */
    issue_id: Type.Optional(Type.Integer()),
    /** Null for the noteable's own text. */
    note_id: Type.Union([Type.Integer(), Type.Null()]),
    /** The groups that the writer may see. */
    group_ids: Type.Array(Type.Integer()),
    /** Whether the text replaces an earlier one. */
    changed: Type.Optional(Type.Boolean()),
    /** The writer. */
    author_id: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  }),
  async ({ issue_id, noteable_id = issue_id, note_id, group_ids, changed = false, author_id }, job) => {
    if (noteable_id === undefined) throw new Error('The text is on nothing')
    const paths = await pathsNamedIn(job.db, noteable_id, note_id)
    const today = dayOf(job.clock.now())
    const author = await findAuthor(job.db, author_id ?? null)
    let after = 0
    for (;;) {
      job.signal.throwIfAborted()
      const last = await job.transact(async (tx) => {
        const { rows } = await sql<Batch>`
          with people as (
            select distinct m.user_id as id from members m join namespaces g on g.id = m.namespace_id
            where g.id = any(${group_ids}::bigint[]) and lower(g.full_path) = any(${paths}::text[])
              and m.user_id > ${after} and ${current('m', today)}
            order by m.user_id limit ${USERS_PER_TRANSACTION}
          ), n as materialized (
            -- One row, found first: rights are asked of each person for it alone, whatever the statistics say.
            select s.id, s.kind, s.visibility, s.deleted_at, s.traversal_ids
            from noteables t join namespaces s on s.id = t.namespace_id where t.id = ${noteable_id}
          ), named as (
            insert into user_mentions (noteable_id, note_id, user_id)
            select ${noteable_id}::bigint, ${note_id}::bigint, u.id
            from n cross join people join users u on u.id = people.id
            where ${readableBy('n', 'u', today)} and (${note_id}::bigint is null or exists (
              select 1 from notes x where x.id = ${note_id}::bigint and x.noteable_id = ${noteable_id}))
            on conflict do nothing
            returning user_id
          )
          select max(id) as last, array(select user_id from named order by user_id) as named,
            (select id from n) as namespace from people`.execute(tx.db)
        const [batch] = rows
        if (batch?.namespace != null && batch.named.length > 0) {
          record(tx, {
            name: 'people mentioned',
            namespace: batch.namespace,
            target: { type: 'Noteable', id: noteable_id },
            details: { note_id, user_ids: batch.named, changed },
          })
        }
        return batch?.last ?? null
      }, author)
      if (last === null) return
      after = last
    }
  },
)

interface Batch {
  readonly last: number | null
  readonly named: readonly number[]
  readonly namespace: number | null
}

async function findAuthor(db: Db, id: number | null): Promise<Author | undefined> {
  if (id === null) return undefined
  return db.selectFrom('users').select(['id', 'username']).where('id', '=', id).executeTakeFirst()
}

/** The paths that the text names now, in lower case. */
async function pathsNamedIn(db: Db, noteableId: number, noteId: number | null): Promise<string[]> {
  const { rows } = await (noteId === null ? ownText(noteableId) : noteText(noteId)).execute(db)
  return parseReferences(rows[0]?.text ?? '', '').flatMap((one) =>
    one.kind === 'mention' ? [one.path.toLowerCase()] : [],
  )
}

const noteText = (id: number) => sql<{ text: string }>`select body as text from notes where id = ${id}`

/** The text of a noteable of any kind: ids are unique across kinds. */
const ownText = (id: number) =>
  sql<{ text: string }>`${sql.join(
    noteableKinds().map((kind) => kind.text(sql<number>`${id}::bigint`)),
    sql` union all `,
  )}`
