import type { Config } from '#platform/config/config.ts'
import { holdsCluster } from '#platform/db/embedded/replace-cluster.ts'
import { type DatabaseAddress, openPool } from '#platform/db/pool.ts'
import { assertDatabaseWhole } from '#platform/db/restore-mark.ts'
import { Refused, type Terminal } from './command.ts'

// Commands work on the instance of a server. Where there is none they would make one that nobody uses: a backup of
// nothing, or a password of a user whom no server knows. So only "forgelet serve" makes one, and "forgelet restore".

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

/**
 * @throws {NoInstance} when the database is empty, or its first start was interrupted.
 * @throws {RestoreUnfinished} when it holds a part of a backup.
 */
export async function assertInstance(address: DatabaseAddress, { databaseUrl, data }: Config): Promise<void> {
  const pool = openPool(address, 1)
  try {
    await assertDatabaseWhole(pool)
    const { rows } = await pool.query<{ name: string; known: boolean }>(
      `select current_database() as name, to_regclass('users') is not null as known`,
    )
    const name = rows[0]?.name ?? ''
    const used = rows[0]?.known === true && (await hasUsers(pool))
    if (used) return
    if (databaseUrl === undefined)
      throw new NoInstance(`The first start of the instance in ${data} did not finish. ${START}`)
    const where = `the database "${name}", which FORGELET_DATABASE_URL names`
    throw new NoInstance(`There is no instance of Forgelet in ${where}. ${advice(true)}`)
  } finally {
    await pool.end()
  }
}

async function hasUsers(pool: ReturnType<typeof openPool>): Promise<boolean> {
  const { rows } = await pool.query('select 1 from users limit 1')
  return rows.length > 0
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
