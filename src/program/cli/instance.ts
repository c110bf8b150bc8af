import type { Config } from '#platform/config/config.ts'
import { holdsCluster } from '#platform/db/embedded/replace-cluster.ts'
import { type DatabaseAddress, openPool } from '#platform/db/pool.ts'
import { assertDatabaseWhole } from '#platform/db/restore-mark.ts'
import { Refused, type Terminal } from './command.ts'

// Commands work on the instance of a server. Where there is none they would make one that nobody uses: a backup of
// nothing, or a password of a user whom no server knows. So only "forgelet serve" makes one, and "forgelet restore";
// "forgelet migrate" prepares an empty database that somebody names.

/** There is no instance where the configuration says. The message says where that was, and what to set. */
export class NoInstance extends Refused {}

/** @throws {NoInstance} when the embedded database would have to be made first. */
export async function assertClusterIn(config: Config, { environment }: Pick<Terminal, 'environment'>) {
  if (config.databaseUrl !== undefined || (await holdsCluster(config.data))) return
  const named = environment['FORGELET_DATA'] !== undefined
  const where = named
    ? `${config.data}, which FORGELET_DATA names`
    : `${config.data}. FORGELET_DATA is not set, so this is the folder "data" of where you are`
  throw new NoInstance(`There is no instance of Forgelet in ${where}. ${advice(named)}`)
}

export interface InstanceOptions {
  /** Whether a database that `FORGELET_DATABASE_URL` names may hold no instance yet, as where a job prepares it. */
  readonly mayBeEmpty?: boolean
}

/**
 * @throws {NoInstance} when the database is empty, or its first start was interrupted.
 * @throws {RestoreUnfinished} when it holds a part of a backup.
 */
export async function assertInstance(
  address: DatabaseAddress,
  { databaseUrl, data }: Config,
  { mayBeEmpty = false }: InstanceOptions = {},
): Promise<void> {
  const pool = openPool(address, 1)
  try {
    await assertDatabaseWhole(pool)
    const { rows } = await pool.query<{ name: string; known: boolean; foreign: boolean }>(
      `select current_database() as name, to_regclass('migrations') is not null as known, exists (
        select from pg_tables where schemaname not in ('pg_catalog', 'information_schema')) as foreign`,
    )
    const { name = '', known = false, foreign = false } = rows[0] ?? {}
    if (known && (await hasUsers(pool))) return
    if (mayBeEmpty && databaseUrl !== undefined && (known || !foreign)) return
    if (databaseUrl === undefined)
      throw new NoInstance(`The first start of the instance in ${data} did not finish. ${START}`)
    const where = `the database "${name}", which FORGELET_DATABASE_URL names`
    throw new NoInstance(`There is no instance of Forgelet in ${where}. ${advice(true)}`)
  } finally {
    await pool.end()
  }
}

async function hasUsers(pool: ReturnType<typeof openPool>): Promise<boolean> {
  const { rows } = await pool.query<{ known: boolean }>(`select to_regclass('users') is not null as known`)
  if (rows[0]?.known !== true) return false
  return (await pool.query('select 1 from users limit 1')).rows.length > 0
}

const START = 'Start the server once: "forgelet serve" makes what is missing.'

/** @param named whether a variable named the place */
function advice(named: boolean): string {
  const how = named ? 'Give this command the variables' : 'Set FORGELET_DATA, or FORGELET_DATABASE_URL,'
  return (
    `${how} as the server has them (those of its unit or container, or run it in its folder). ` +
    'A new instance is made by "forgelet serve" only.'
  )
}
