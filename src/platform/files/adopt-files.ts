import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { DatabaseError } from 'pg'
import type { Config } from '#platform/config/config.ts'
import type { Log } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'
import { measured } from './measured.ts'
import { referencesToFiles } from './references.ts'

export interface AdoptOptions {
  readonly config: Config
  readonly db: Db
  readonly log: Log
}

interface Unread {
  readonly id: string
  readonly key: string
}

/**
 * Gives a row to each avatar that was on disk before files had rows. Runs at each start; after the first one there is
 * nothing to do. If this machine lacks some bytes, a machine that has them does it.
 */
export async function adoptFiles({ config, db, log }: AdoptOptions): Promise<void> {
  const { rows } = await sql<Unread>`select id, key from files where sha256 is null`.execute(db)
  if (rows.length === 0) return
  const missing: string[] = []
  for (const { id, key } of rows) {
    const path = join(config.data, 'files', key)
    await bringOver(join(config.data, 'blobs', 'avatars', key), path)
    const bytes = measured(createReadStream(path))
    try {
      for await (const _ of bytes);
    } catch (error) {
      missing.push(id)
      log.warn({ err: error, file: id }, 'an avatar of an earlier version cannot be read')
      continue
    }
    await adopt(db, id, (await bytes.digests()).sha256, bytes.size())
  }
  if (missing.length === 0) await rm(join(config.data, 'blobs'), { recursive: true, force: true })
  log.info({ adopted: rows.length - missing.length, missing: missing.length }, 'avatars are files now')
}

/** Moves bytes to where the store looks for them, unless an earlier start already did. */
async function bringOver(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await rename(from, to).catch(() => {})
}

async function adopt(db: Db, id: string, sha256: Buffer, size: number): Promise<void> {
  try {
    await sql`update files set sha256 = ${sha256}, size = ${size} where id = ${id}`.execute(db)
  } catch (error) {
    const taken = error instanceof DatabaseError && error.constraint === 'files_sha256_key'
    if (!taken) throw error
    await merge(db, id, sha256)
  }
}

/** A file with the same bytes already exists. References to the one become references to the other. */
async function merge(db: Db, id: string, sha256: Buffer): Promise<void> {
  const references = await referencesToFiles(db)
  await db.transaction().execute(async (tx) => {
    const same = sql`(select id from files where sha256 = ${sha256})`
    for (const { table, column } of references) {
      const [name, field] = [sql.table(table), sql.ref(column)]
      await sql`update ${name} set ${field} = ${same} where ${field} = ${id}`.execute(tx)
    }
    await sql`
      with gone as (delete from files where id = ${id} returning key, storage)
      insert into file_leftovers (key, storage, state, due_at)
      select key, storage, 'removing', now() from gone`.execute(tx)
  })
}
