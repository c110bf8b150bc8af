import { sql } from 'kysely'
import { transact, type WrittenBy } from '#platform/db/transaction.ts'
import type { Json } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { type PushedOptions, readStoredOptions } from './push-options.ts'
import type { Repositories } from './repositories.ts'
import type { ReferenceChange } from './rules.ts'
import type { Place } from './rows.ts'

/** References that somebody is about to change, as the database has it. */
export interface Intent {
  readonly id: number
  readonly repositoryId: number
  readonly holder: number
  readonly changes: readonly ReferenceChange[]
  readonly cause: string
  readonly by: WrittenBy
  /** Where the web pages are for whoever does it; null where nobody knows. */
  readonly site?: string | null
  /** What the person added to a push. */
  readonly options?: PushedOptions | undefined
}

/**
 * Writes down what is about to change. From here on, whoever finds the row unfinished finishes it, and the repository
 * stays where it is.
 * @returns undefined when the repository has become read-only, was moved or deleted since its row was read.
 */
export async function writeIntent(
  repositories: Repositories,
  place: Place,
  intent: Omit<Intent, 'id' | 'holder'>,
): Promise<Intent | undefined> {
  await repositories.holder.hold()
  const { repositoryId, changes, cause, by, site = null, options } = intent
  const holder = repositories.holder.number
  const { storage, relative_path } = place
  const { rows } = await transact(repositories.source, by, (tx) =>
    // Whoever makes the repository read-only waits for this row, and then sees the intent.
    sql<{ id: number }>`
      with writable as (
        select id from repositories
        where id = ${repositoryId} and storage = ${storage} and relative_path = ${relative_path}
          and read_only_because is null
        for share
      )
      insert into reference_changes
        (repository_id, holder, changes, cause, site, options, actor_id, behind_id, ip, request_id,
          created_at)
      select id, ${holder}, ${JSON.stringify(changes)}::jsonb, ${cause}, ${site},
        ${options === undefined ? null : JSON.stringify(options)}::jsonb, ${by.author?.id ?? null}::bigint,
        ${by.impersonatorId ?? null}::bigint, ${by.ip}, ${by.requestId ?? null}, ${tx.now}
      from writable
      returning id`.execute(tx.db),
  )
  const [row] = rows
  return row === undefined ? undefined : { ...intent, id: row.id, holder }
}

/**
 * Marks an intent as recorded, in the transaction that records it.
 * @returns false when somebody else has recorded it already: then nothing may be recorded again.
 */
export async function finishIntent(tx: Tx, { id }: Pick<Intent, 'id'>): Promise<boolean> {
  const finished = await tx.db
    .updateTable('reference_changes')
    .set({ state: 'recorded', ended_at: tx.now })
    .where('id', '=', id)
    .where('state', '<>', 'recorded')
    .returning('id')
    .executeTakeFirst()
  return finished !== undefined
}

/** Marks an intent as come to nothing: no reference changed. */
export async function dismissIntent(tx: Tx, { id }: Pick<Intent, 'id'>): Promise<void> {
  await tx.db
    .updateTable('reference_changes')
    .set({ state: 'dismissed', ended_at: tx.now })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .execute()
}

/** The unfinished intents of a repository that are not under way in this process, oldest first. */
export async function pendingIntents(
  { source }: Repositories,
  repositoryId: number,
  underWay: ReadonlySet<number>,
): Promise<Intent[]> {
  const rows = await source.db
    .selectFrom('reference_changes as c')
    .leftJoin('users as u', 'u.id', 'c.actor_id')
    .select([
      'c.id',
      'c.repository_id',
      'c.holder',
      'c.changes',
      'c.cause',
      'c.site',
      'c.options',
      'c.actor_id',
      'u.username',
      'c.behind_id',
      'c.ip',
      'c.request_id',
    ])
    .where('c.repository_id', '=', repositoryId)
    .where('c.state', '=', 'pending')
    .orderBy('c.id')
    .execute()
  return rows
    .filter(({ id }) => !underWay.has(id))
    .map((row) => ({
      id: row.id,
      repositoryId: row.repository_id,
      holder: row.holder,
      changes: readChanges(row.changes),
      cause: row.cause,
      site: row.site,
      options: readStoredOptions(row.options),
      by: {
        author:
          row.actor_id === null || row.username === null
            ? null
            : { id: row.actor_id, username: row.username },
        impersonatorId: row.behind_id,
        ip: row.ip,
        requestId: row.request_id,
      },
    }))
}

/** The changes in a row. */
export function readChanges(json: Json): ReferenceChange[] {
  if (!Array.isArray(json)) return []
  return json.flatMap((one) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return []
    const { ref, before, after } = one
    return typeof ref === 'string' && typeof before === 'string' && typeof after === 'string'
      ? [{ ref, before, after }]
      : []
  })
}
