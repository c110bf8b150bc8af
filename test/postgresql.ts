import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { findBinaries } from '#platform/db/embedded/binaries.ts'
import { type EmbeddedDatabase, startEmbedded, TEMPLATE_PREFIX } from '#platform/db/embedded/index.ts'
import { SUPERUSER, USER } from '#platform/db/embedded/settings.ts'
import { MIGRATIONS } from '#platform/db/migration-files.ts'
import { type DatabaseAddress, openPool } from '#platform/db/pool.ts'
import { ROOT_TOKEN, SECRET_KEY, STORAGE } from './database.ts'

/** Where the PostgreSQL of the run listens, and as whom tests sign in. */
export type DatabaseServer = Readonly<Omit<EmbeddedDatabase['connection'], 'database'>>

const log = pino({ level: 'warn' })

/**
 * Starts the PostgreSQL of a run, with two databases in it that tests clone: `empty` is only migrated, `template` is set
 * up as well. The cluster is a copy of one in `node_modules/.cache`. Where there is none for the present migrations, this
 * run makes it, which takes some seconds.
 */
export async function startDatabase(
  dataDir: string,
): Promise<{ readonly server: DatabaseServer; readonly stop: () => Promise<void> }> {
  const folder = join(import.meta.dirname, '../node_modules/.cache/tests', `${TEMPLATE_PREFIX}${digest()}`)
  const prepare = async (address: DatabaseAddress) => {
    await onDatabase({ ...address, user: SUPERUSER }, `alter role ${USER} createdb`)
    await makeTemplates(address, dataDir)
  }
  // The cluster may be older than the folder of the run.
  const repositories = join(dataDir, 'repositories')
  await mkdir(repositories)
  await writeFile(join(repositories, STORAGE.file), STORAGE.id)
  const embedded = await startEmbedded({
    dataDir,
    ephemeral: true,
    removeDataDirAtExit: true,
    log,
    template: () => ({ folder, prepare }),
  })
  const { connection } = embedded
  const stop = () => embedded.stop()
  try {
    // Where no cluster can be kept, or copied by the account that PostgreSQL runs under.
    const found = await onDatabase(connection, `select from pg_database where datname = 'template'`)
    if (found === 0) await makeTemplates(connection, dataDir)
  } catch (error) {
    await stop()
    throw error
  }
  const { database: _, ...server } = connection
  return { server, stop }
}

/** Stands for what is in the databases. Whoever doubts that it has all removes the folder; CI begins without it. */
function digest(): string {
  const hash = createHash('sha256').update(findBinaries().major)
  for (const file of readdirSync(MIGRATIONS).toSorted())
    hash.update(file).update(readFileSync(new URL(file, MIGRATIONS)))
  const first = ['serving.ts', 'administration/instance/first-start.ts', 'platform/jobs/migrate.ts']
  const files = [...first.map((file) => join('../src', file)), 'postgresql.ts', 'database.ts']
  for (const file of [...files, '../package-lock.json'])
    hash.update(readFileSync(join(import.meta.dirname, file)))
  return hash.digest('hex').slice(0, 12)
}

/** Makes the databases that tests clone. The last one gets its name when all is complete. */
async function makeTemplates(address: DatabaseAddress, dataDir: string): Promise<void> {
  const { migrateAll } = await import('#platform/migrate-all.ts')
  await onDatabase(address, 'create database empty')
  await migrateAll({ ...address, database: 'empty' }, log)
  await onDatabase(address, 'create database draft template empty strategy file_copy')
  await setUp({ ...address, database: 'draft' }, dataDir)
  await onDatabase(address, 'alter database draft rename to template')
}

/** What a first start does, and settings for tests. */
async function setUp(address: DatabaseAddress, dataDir: string): Promise<void> {
  const config = readConfig({
    FORGELET_DATA: dataDir,
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: ROOT_TOKEN,
    FORGELET_SECRET_KEY: SECRET_KEY,
  })
  const [{ startServer }, { transact }, { changeSettings }] = await Promise.all([
    import('#server.ts'),
    import('#platform/db/transaction.ts'),
    import('#platform/settings/change-settings.ts'),
  ])
  const server = await startServer({ config, log, address, withPassword: false })
  // All tests come from one address, many send wrong credentials, and the administrator writes for most of them.
  await transact(server.services, { author: null, ip: null }, (tx) =>
    changeSettings(tx, { failed_authentication_limit: 0, notes_create_limit: 0 }),
  )
  await server.stop()
}

/** Runs a statement. @returns how many rows it found. */
async function onDatabase(address: DatabaseAddress, statement: string): Promise<number> {
  const pool = openPool(address, 1)
  try {
    const { rows } = await pool.query(statement)
    return rows.length
  } finally {
    await pool.end()
  }
}
