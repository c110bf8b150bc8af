import { type Config, readConfig } from '#platform/config/config.ts'
import { type Log, systemClock, systemRandomness } from '#platform/context.ts'
import { DataFolderBusy } from '#platform/db/embedded/errors.ts'
import { runningConnection } from '#platform/db/embedded/running.ts'
import { type DatabaseAddress, openDb, openPool } from '#platform/db/pool.ts'
import { openSecrets, type Secrets } from '#platform/db/secrets.ts'
import type { TransactionSource } from '#platform/db/transaction.ts'
import { migrateAll } from '#platform/migrate-all.ts'
import { openDatabase } from '#server.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { readSettings } from '#platform/settings/settings.ts'
import type { Terminal } from './command.ts'
import { assertClusterIn, assertInstance, type InstanceOptions } from './instance.ts'
import { logOn } from './log-on.ts'

/**
 * Runs `work` on the database of an instance as it is, whether or not a server uses it. An embedded one that does not run
 * is started for it and stopped afterwards.
 * @throws {NoInstance} where the configuration names none.
 */
export async function onDatabaseAsItIs<T>(
  terminal: Terminal,
  work: (address: DatabaseAddress, config: Config, log: Log) => Promise<T>,
  options: InstanceOptions = {},
): Promise<T> {
  const config = readConfig(terminal.environment)
  const log = logOn('err', terminal, config, 'warn')
  await assertClusterIn(config, terminal)
  await using cleanup = new AsyncDisposableStack()
  const address = await openDatabase(config, { log }, cleanup).catch(async (error: unknown) => {
    const key = { secretKey: config.secretKey, dataDir: config.data }
    const running = error instanceof DataFolderBusy ? await runningConnection(key) : undefined
    if (running === undefined) throw error
    return running
  })
  await assertInstance(address, config, options)
  return await work(address, config, log)
}

/** The same after bringing the schema up to date. @param work is also given the migrations that ran. */
export function onDatabase<T>(
  terminal: Terminal,
  work: (address: DatabaseAddress, config: Config, log: Log, migrations: readonly string[]) => Promise<T>,
  options: InstanceOptions = {},
): Promise<T> {
  return onDatabaseAsItIs(
    terminal,
    async (address, config, log) => work(address, config, log, await migrateAll(address, log)),
    options,
  )
}

/** Runs `work` with the secrets of an instance. */
export async function withSecrets<T>(
  address: DatabaseAddress,
  { secretKey, data: dataDir }: Config,
  work: (secrets: Secrets) => Promise<T>,
): Promise<T> {
  const db = openDb(openPool(address, 1))
  try {
    return await work(await openSecrets({ db, clock: systemClock, secretKey, dataDir }))
  } finally {
    await db.destroy()
  }
}

/** Runs `work` on an instance with this program's schema, for commands that write. */
export function onInstance(
  terminal: Terminal,
  work: (source: TransactionSource, settings: Settings) => Promise<void>,
): Promise<void> {
  return onDatabase(terminal, async (address) => {
    // What features do because of a write happens here as well, with the settings that they name. Loaded late: most
    // commands write nothing.
    await import('#app.ts')
    const db = openDb(openPool(address, 1))
    try {
      await work({ db, clock: systemClock, random: systemRandomness }, await readSettings(db))
    } finally {
      await db.destroy()
    }
  })
}
