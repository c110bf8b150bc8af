import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { filesBelow } from '#test/s3.ts'
import { newDatabase } from '#test/new-database.ts'
import { readConfig } from '#platform/config/config.ts'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { openDb, openPool } from '#platform/db/pool.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { WorkFolders } from '#platform/work-folders.ts'
import { cleanUpFiles } from './clean-up.ts'
import { Files, type StoredFile } from './files.ts'

const log = pino({ level: 'silent' })

/** A store on a database and a data folder of its own. `env` is how it is configured. */
export async function openFiles(env: Record<string, string> = {}) {
  const address = await newDatabase()
  const db = openDb(openPool(address, 8))
  const data = await mkdtemp(join(tmpdir(), 'forgelet-files-'))
  onTestFinished(async () => {
    await db.destroy()
    await rm(data, { recursive: true, force: true })
  })
  const configured = (more: Record<string, string> = {}) =>
    new Files({
      config: readConfig({ FORGELET_DATA: data, ...env, ...more }),
      db,
      random: systemRandomness,
      log,
    })
  const files = configured()
  const workFolders = new WorkFolders(data)
  const source = { db, clock: systemClock, random: systemRandomness }
  const write = <T>(work: (tx: Tx) => Promise<T>) => transact(source, { author: null, ip: null }, work)
  return {
    db,
    data,
    address,
    files,
    workFolders,
    write,
    /** The same database and folder, configured in another way. */
    configured,
    /** What is on the disk, by keys. */
    onDisk: () => filesBelow(join(data, 'files')),
    readBack: async (file: StoredFile, by = files) => {
      const stream = await by.read(file)
      return stream && (await buffer(stream))
    },
    rows: async () => (await sql<{ id: string }>`select id from files order by id`.execute(db)).rows,
    leftovers: async () =>
      (await sql<{ key: string; state: string }>`select key, state from file_leftovers`.execute(db)).rows,
    /** Makes all that was ever stored or begun as old as if it were of last week. */
    age: async () => {
      await sql`update files set used_at = used_at - interval '7 days'`.execute(db)
      await sql`update file_leftovers set due_at = due_at - interval '7 days'`.execute(db)
    },
    cleanUp: () =>
      cleanUpFiles.execute(
        {},
        {
          ...source,
          files,
          workFolders,
          log,
          tracer: undefined,
          attempt: 1,
          signal: new AbortController().signal,
          transact: (work) => write(work),
        },
      ),
    refer: async (id: string | null) => {
      await db.updateTable('users').set({ avatar: id }).where('id', '=', 1).execute()
    },
  }
}

export const LARGE = 1024 * 1024 * 1024

/** Chunks as a client sends them; of random bytes, the same for the same seed. */
export async function* chunks(sizes: readonly number[]) {
  for (const size of sizes) yield randomBytes(size)
}

export const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
