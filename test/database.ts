import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { unseenRefusals } from './answered.ts'
import { readConfig } from '#platform/config/config.ts'
import { startEmbedded } from '#platform/db/embedded/index.ts'
import { openPool } from '#platform/db/pool.ts'
import { transact } from '#platform/db/transaction.ts'
import { changeSettings } from '#platform/settings/change-settings.ts'
import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import { migrateAll } from '#platform/migrate-all.ts'
import { startServer } from '#server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    database: { host: string; port: number; user: string; password: string }
    dataDir: string
    /** Where what servers answered is gathered: see answered.ts. */
    answers: string
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
  await admin.query('create database template template empty strategy file_copy')
  const address = { ...server, database: 'template' }
  const first = await startServer({ config, log, address, withPassword: false })
  // All tests come from one address, many send wrong credentials, and the administrator writes for most of them.
  await transact(first.services, { author: null, ip: null }, (tx) =>
    changeSettings(tx, { failed_authentication_limit: 0, notes_create_limit: 0 }),
  )
  const { declaredRoutes } = first.app
  await first.stop()
  await admin.end()
  project.provide('database', server)
  project.provide('dataDir', dataDir)
  const answers = join(dataDir, 'answers')
  await writeFile(answers, '')
  project.provide('answers', answers)
  return async () => {
    reportUnseen(answers, declaredRoutes)
    await embedded.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** After a run of all tests: a refusal that a route declares is one that a test was answered with. */
function reportUnseen(answers: string, routes: readonly DeclaredRoute[]): void {
  const chosen = process.argv.slice(2).filter((word) => word !== 'run' && !word.startsWith('-'))
  if (chosen.length > 0) return
  const unseen = unseenRefusals(answers, routes)
  if (unseen.length === 0) return
  console.error(`Declared in src, but no test was answered so:\n${unseen.join('\n')}`)
  process.exitCode = 1
}
