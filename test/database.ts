import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { readConfig } from '#config.ts'
import { startEmbedded } from '#db/embedded/index.ts'
import { openPool } from '#db/pool.ts'
import { transact } from '#db/transaction.ts'
import { changeSettings } from '#settings/change-settings.ts'
import { migrateAll, startServer } from '../src/server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    database: { host: string; port: number; user: string; password: string }
    dataDir: string
  }
}

/** The administrator's token in every test database. */
export const ROOT_TOKEN = 'glpat-the-root-token-of-the-tests'

/**
 * Starts one PostgreSQL for the whole run and in it two templates that tests clone: `empty` is only migrated,
 * `template` is set up as well.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'forgelet-test-'))
  await chmod(dataDir, 0o711)
  const log = pino({ level: 'warn' })
  const embedded = await startEmbedded({ dataDir, ephemeral: true, removeDataDirAtExit: true, log })
  const { database: _, ...server } = embedded.connection
  const admin = openPool(embedded.connection, 1)
  const config = readConfig({
    FORGELET_DATA: dataDir,
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: ROOT_TOKEN,
    FORGELET_SECRET_KEY: 'the master key of the tests, long enough',
  })
  await admin.query('create database empty')
  await migrateAll({ ...server, database: 'empty' }, log)
  await admin.query('create database template template empty')
  const address = { ...server, database: 'template' }
  const first = await startServer({ config, log, address, withPassword: false })
  // All tests come from one address, and many send wrong credentials.
  await transact(first.services, { author: null, ip: null }, (tx) =>
    changeSettings(tx, { failed_authentication_limit: 0 }),
  )
  await first.stop()
  await admin.end()
  project.provide('database', server)
  project.provide('dataDir', dataDir)
  return async () => {
    await embedded.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
