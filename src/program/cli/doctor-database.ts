import { sql } from 'kysely'
import type { Config } from '#platform/config/config.ts'
import { systemClock } from '#platform/context.ts'
import { holdsCluster } from '#platform/db/embedded/replace-cluster.ts'
import { runningConnection } from '#platform/db/embedded/running.ts'
import { latestMigration } from '#platform/db/migrate.ts'
import { type DatabaseAddress, type Db, openDb, openPool } from '#platform/db/pool.ts'
import { openSecrets } from '#platform/db/secrets.ts'
import { type CheckFinding, note, ok, reason, wrong } from './finding.ts'

/** Seconds that two clocks may differ. */
const CLOCK = 2

/** Examines the database and what is in it, if it runs. */
export async function examineDatabase(config: Config): Promise<CheckFinding[]> {
  let address: DatabaseAddress | undefined
  try {
    address = await addressOf(config)
  } catch (error) {
    return [wrong('database', reason(error))]
  }
  if (address === undefined) return [await examineFolder(config)]
  const db = openDb(openPool(address, 1))
  try {
    return await examine(db, config)
  } catch (error) {
    return [wrong('database', `${reason(error)}. Check FORGELET_DATABASE_URL, and whether PostgreSQL runs`)]
  } finally {
    await db.destroy()
  }
}

async function examineFolder({ data }: Config): Promise<CheckFinding> {
  if (await holdsCluster(data)) return note('database', 'the embedded one does not run now: start the server')
  return note(
    'database',
    `none is in ${data}: "forgelet serve" would make a new instance there. If there is one elsewhere, give this command ` +
      'the variables that its server has (FORGELET_DATA, or FORGELET_DATABASE_URL)',
  )
}

async function addressOf({ databaseUrl, secretKey, data }: Config): Promise<DatabaseAddress | undefined> {
  if (databaseUrl !== undefined) return { connectionString: databaseUrl }
  try {
    return await runningConnection({ secretKey, dataDir: data })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function examine(db: Db, config: Config): Promise<CheckFinding[]> {
  const { rows } = await sql<{ version: string; now: string; durable: boolean; known: boolean }>`
    select current_setting('server_version') as version, clock_timestamp() as now,
      current_setting('fsync')::boolean and current_setting('full_page_writes')::boolean as durable,
      to_regclass('migrations') is not null as known`.execute(db)
  const [row] = rows
  if (row === undefined) return []
  const apart = Math.abs(systemClock.now().getTime() - Date.parse(row.now)) / 1000
  const clock =
    apart <= CLOCK
      ? ok('clock', 'this machine and the database agree')
      : wrong('clock', `${apart.toFixed(0)} s apart from the database's: let both machines use NTP`)
  const durable = row.durable
    ? []
    : [wrong('durability', 'fsync or full_page_writes is off: a crash loses data. Switch both on')]
  const database = ok('database', `PostgreSQL ${row.version}`)
  if (!row.known)
    return [
      database,
      clock,
      ...durable,
      note(
        'schema',
        'not made yet: the first start makes it. If it should be there, this is another database',
      ),
    ]
  return [database, clock, ...durable, await examineSchema(db), await examineSecrets(db, config)]
}

async function examineSchema(db: Db): Promise<CheckFinding> {
  const { rows } = await sql<{ number: number }>`select max(number) as number from migrations`.execute(db)
  const there = rows[0]?.number ?? 0
  const wanted = await latestMigration()
  if (there === wanted) return ok('schema', `migration ${there}`)
  return there < wanted
    ? note('schema', `at migration ${there}; the next start of this program brings it to ${wanted}`)
    : note(
        'schema',
        `at migration ${there}, newer than this program, which knows ${wanted}: update the program`,
      )
}

async function examineSecrets(db: Db, { secretKey, data: dataDir }: Config): Promise<CheckFinding> {
  const sealed = await db.selectFrom('secrets').select('name').limit(1).executeTakeFirst()
  if (sealed === undefined) return note('secrets', 'none yet: the first start makes them')
  try {
    await openSecrets({ db, clock: systemClock, secretKey, dataDir })
    return ok('secrets', 'they open with the master key')
  } catch (error) {
    return wrong('secrets', reason(error))
  }
}
