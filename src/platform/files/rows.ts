import { sql } from 'kysely'
import type { Randomness } from '#platform/context.ts'
import { mayRemove } from '#platform/db/locks.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Storage } from './store.ts'

// What the database knows of bytes. Each function is one statement, so one small transaction. Times are the
// database's, because the clocks of several nodes differ.

/** A file whose bytes are complete and verified. */
export interface StoredFile {
  readonly id: string
  readonly storage: Storage
  readonly key: string
  /** In hexadecimal. */
  readonly sha256: string
  readonly size: number
  /** The media type of the content; null if it was never checked. */
  readonly mediaType: string | null
}

/** Where bytes are in a store. */
export interface Location {
  readonly storage: Storage
  readonly key: string
}

/** Longer than any upload, and than any request between its upload and its commit. */
const UPLOAD_TIME = '1 day'
/** Longer than a reader who knows the old location needs to open it. */
const MOVE_TIME = '10 minutes'
/** How long a process that removes bytes may take before another one tries. */
const REMOVAL_TIME = '5 minutes'

const columns = sql`f.id, f.storage, f.key, encode(f.sha256, 'hex') as sha256, f.size, f.media_type as "mediaType"`

/** The file with this id; undefined when there is none, or when no start has read its bytes yet. */
export async function findFile(db: Db, id: string): Promise<StoredFile | undefined> {
  const { rows } = await sql<StoredFile>`
    select ${columns} from files f where id = ${id} and sha256 is not null`.execute(db)
  return rows[0]
}

/** The file with these bytes. It counts as just used, so that the clean-up leaves it to whoever refers to it now. */
export async function useFileByDigest(db: Db, sha256: string): Promise<StoredFile | undefined> {
  const { rows } = await sql<StoredFile>`
    update files f set used_at = now() where sha256 = ${Buffer.from(sha256, 'hex')} returning ${columns}`.execute(
    db,
  )
  return rows[0]
}

export const newId = (random: Randomness): string => random.bytes(16).toString('hex')

/** Records that an upload begins. @returns a new, unique key. */
export async function beginUpload(db: Db, random: Randomness, storage: Storage): Promise<string> {
  const name = newId(random)
  const key = `${name.slice(0, 2)}/${name.slice(2)}`
  await sql`
    insert into file_leftovers (key, storage, state, due_at)
    values (${key}, ${storage}, 'uploading', now() + ${UPLOAD_TIME}::interval)`.execute(db)
  return key
}

/** The measurements of bytes that are in a store now. */
export interface UploadedFile extends Location {
  readonly sha256: Buffer
  readonly size: number
  readonly mediaType: string | null
}

/**
 * Turns an upload into a file. If the same bytes already exist, it returns that file, with another key. That file
 * counts as just used, so that the clean-up leaves it to the caller's transaction.
 * @returns undefined when the clean-up abandoned the upload because it took so long.
 */
export async function keepUpload(
  db: Db,
  random: Randomness,
  { key, storage, sha256, size, mediaType }: UploadedFile,
): Promise<StoredFile | undefined> {
  const { rows } = await sql<StoredFile>`
    with upload as (
      select key, storage from file_leftovers
      where key = ${key} and storage = ${storage}::file_storage and state = 'uploading' for update
    ), f as (
      insert into files (id, storage, key, sha256, size, media_type, created_at, used_at)
      select ${newId(random)}, storage, key, ${sha256}::bytea, ${size}::bigint, ${mediaType}::text, now(), now()
      from upload
      on conflict (sha256) do update
        set used_at = now(), media_type = coalesce(files.media_type, excluded.media_type)
      returning id, storage, key, sha256, size, media_type
    ), named as (
      delete from file_leftovers l using f where l.key = f.key
    )
    select ${columns} from f`.execute(db)
  return rows[0]
}

/** Marks an upload as abandoned. @returns whether its bytes are to be removed: not if a file has them. */
export async function giveUpUpload(db: Db, key: string): Promise<boolean> {
  const { rows } = await sql`
    update file_leftovers set state = 'removing', due_at = now() + ${REMOVAL_TIME}::interval
    where key = ${key} and state = 'uploading' returning key`.execute(db)
  return rows.length > 0
}

/** Takes leftovers that are due for removal. Another process tries them again if this one does not finish. */
export async function takeLeftovers(
  db: Db,
  storages: readonly Storage[],
  limit: number,
): Promise<readonly Location[]> {
  const { rows } = await sql<Location>`
    update file_leftovers set state = 'removing', due_at = now() + ${REMOVAL_TIME}::interval
    where key in (
      select key from file_leftovers
      where ${mayRemove()} and due_at <= now() and storage = any(${[...storages]}::file_storage[])
      order by due_at limit ${limit} for update skip locked
    )
    returning storage, key`.execute(db)
  return rows
}

/** Deletes the rows of leftovers whose bytes are gone. */
export async function forgetLeftovers(db: Db, keys: readonly string[]): Promise<void> {
  await sql`delete from file_leftovers where key = any(${[...keys]}::text[]) and state = 'removing'`.execute(
    db,
  )
}

/**
 * Points a file to its copy in another store. The old bytes are removed later, when no reader needs them any more.
 * @returns false when the file is gone, another process moved it, or the clean-up abandoned the copy.
 */
export async function moveFile(db: Db, file: StoredFile, copy: Location): Promise<boolean> {
  const { rows } = await sql`
    with old as (
      select id, storage, key from files where id = ${file.id} and key = ${file.key} for no key update
    ), upload as (
      select key, storage from file_leftovers where key = ${copy.key} and state = 'uploading' for update
    ), moved as (
      update files set storage = upload.storage, key = upload.key from old, upload
      where files.id = old.id returning files.id
    ), named as (
      delete from file_leftovers l using upload, moved where l.key = upload.key
    )
    insert into file_leftovers (key, storage, state, due_at)
    select old.key, old.storage, 'removing', now() + ${MOVE_TIME}::interval from old, moved
    returning key`.execute(db)
  return rows.length > 0
}

/** The storage that is not this one. */
const otherThan = (storage: Storage): Storage => (storage === 'disk' ? 's3' : 'disk')

/** Files in the other storage, by id. */
export async function filesOutside(
  db: Db,
  storage: Storage,
  after: string,
  limit: number,
): Promise<readonly StoredFile[]> {
  const { rows } = await sql<StoredFile>`
    select ${columns} from files f
    where storage = ${otherThan(storage)}::file_storage and sha256 is not null and id > ${after}
    order by id limit ${limit}`.execute(db)
  return rows
}

export interface Amount {
  readonly files: number
  readonly bytes: number
}

/** How much is in the other storage. */
export async function amountOutside(db: Db, storage: Storage): Promise<Amount> {
  const { rows } = await sql<Amount>`
    select count(*)::bigint as files, coalesce(sum(size), 0)::bigint as bytes from files
    where storage = ${otherThan(storage)}::file_storage and sha256 is not null`.execute(db)
  return rows[0] ?? { files: 0, bytes: 0 }
}
