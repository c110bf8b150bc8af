import { sql } from 'kysely'
import type { Static } from 'typebox'
import { type Params, statement } from '#platform/db/statement.ts'
import { transact, type TransactionSource, type Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/refusals.ts'
import type { RunnerInfo } from './parameters.ts'

/** The precision of `contacted_at`, and so the shortest interval between two writes, in seconds. */
const PRECISION = 60
/** Managers of one runner. Machines that come and go get a new name each time. */
export const MOST_MANAGERS = 1_000
/** Those that were not heard of for so long make room for others. */
const KEPT_FOR = '7 days'

/** What a runner tells with a request. */
export interface Contact {
  readonly systemId: string | undefined
  /** What it does not tell stays as it was. */
  readonly info?: Static<typeof RunnerInfo> | undefined
}

interface Values {
  readonly runner: number
  readonly system: string | null
  readonly now: string
  readonly version: string | null
  readonly revision: string | null
  readonly platform: string | null
  readonly architecture: string | null
  readonly executor: string | null
}

const told = ['version', 'revision', 'platform', 'architecture', 'executor'] as const

const findKnown = statement({
  name: 'known manager of a runner',
  build: (db, param: Params<Values>) => {
    const since = sql`${param('now')}::timestamptz - interval '${sql.raw(String(PRECISION))} seconds'`
    const isSame = sql.join(
      told.map(
        (name) =>
          sql`m.${sql.ref(name)} is not distinct from coalesce(${param(name)}::text, m.${sql.ref(name)})`,
      ),
      sql` and `,
    )
    return db
      .selectFrom('ci_runners as r')
      .leftJoin('ci_runner_managers as m', (join) =>
        join.onRef('m.runner_id', '=', 'r.id').on('m.system_id', '=', sql<string>`${param('system')}::text`),
      )
      .select([
        'm.id',
        sql<boolean>`(r.contacted_at > ${since}
          and (${param('system')}::text is null or (m.contacted_at > ${since} and ${isSame})) is true)`.as(
          'isNoted',
        ),
      ])
      .where('r.id', '=', param('runner'))
  },
})

/**
 * Notes that a runner has asked something, and keeps what its manager tells of itself. It writes at most once a minute for each manager,
 * in a transaction of its own: call it outside of others.
 * @returns the id of the manager; null for a runner that does not name itself
 * @throws 403 when the runner is gone
 */
export async function noteContact(
  source: TransactionSource,
  runnerId: number,
  { systemId, info = {} }: Contact,
): Promise<number | null> {
  const values: Values = {
    runner: runnerId,
    system: systemId === undefined || systemId === '' ? null : systemId,
    now: source.clock.now().toISOString(),
    version: info.version ?? null,
    revision: info.revision ?? null,
    platform: info.platform ?? null,
    architecture: info.architecture ?? null,
    executor: info.executor ?? null,
  }
  const [known] = await findKnown(source.db, values)
  if (known?.isNoted === true) return known.id
  return transact(source, { author: null, ip: null }, (tx) => writeContact(tx, values))
}

/** The runner's row is the lock of its managers. */
async function writeContact(tx: Tx, values: Values): Promise<number | null> {
  const { runner: id, system, now } = values
  const locked = await tx.db
    .selectFrom('ci_runners')
    .select('id')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (locked === undefined) throw forbidden()
  await tx.db
    .updateTable('ci_runners')
    .set({ contacted_at: now })
    .where('id', '=', id)
    .where(
      sql<boolean>`(contacted_at is null or contacted_at < ${now}::timestamptz - ${PRECISION} * interval '0.5 seconds')`,
    )
    .execute()
  if (system === null) return null
  const manager = await tx.db
    .insertInto('ci_runner_managers')
    .values({
      runner_id: id,
      system_id: system,
      contacted_at: now,
      created_at: now,
      version: values.version,
      revision: values.revision,
      platform: values.platform,
      architecture: values.architecture,
      executor: values.executor,
    })
    .onConflict((conflict) =>
      conflict.columns(['runner_id', 'system_id']).doUpdateSet({
        contacted_at: now,
        version: sql`coalesce(excluded.version, ci_runner_managers.version)`,
        revision: sql`coalesce(excluded.revision, ci_runner_managers.revision)`,
        platform: sql`coalesce(excluded.platform, ci_runner_managers.platform)`,
        architecture: sql`coalesce(excluded.architecture, ci_runner_managers.architecture)`,
        executor: sql`coalesce(excluded.executor, ci_runner_managers.executor)`,
      }),
    )
    .returning(['id', 'created_at'])
    .executeTakeFirstOrThrow()
  if (Date.parse(manager.created_at) === Date.parse(now)) await makeRoom(tx, id)
  return manager.id
}

/**
 * Forgets managers that are silent for long, and those of too many that are silent for longest.
 * @param runnerId of a runner whose row this transaction has locked
 */
export async function makeRoom(tx: Tx, runnerId: number): Promise<void> {
  await sql`delete from ci_runner_managers where runner_id = ${runnerId}
    and (contacted_at < ${tx.now}::timestamptz - interval '${sql.raw(KEPT_FOR)}' or id in (
      select id from ci_runner_managers where runner_id = ${runnerId} order by contacted_at desc nulls last, id desc offset ${MOST_MANAGERS}))`.execute(
    tx.db,
  )
}
