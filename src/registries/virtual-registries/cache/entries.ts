import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import type { FileStorage } from '#platform/db/schema.ts'
import { transact, type TransactionSource } from '#platform/db/transaction.ts'
import type { StoredFile } from '#platform/files/files.ts'
import { iso } from '#platform/http/time.ts'

/** Something of an upstream that is kept. */
export interface Entry {
  readonly id: number
  readonly accept: string
  readonly digest: string
  readonly mediaType: string
  readonly etag: string | null
  readonly checkedAt: number
  readonly file: StoredFile
}

/** An upstream of a registry, with what it has kept at a path. */
export interface KnownUpstream {
  readonly id: number
  readonly groupId: number
  readonly name: string
  readonly url: string
  readonly username: string | null
  readonly password: Buffer | null
  readonly validHours: number
  readonly entries: readonly Entry[]
}

export interface KnownRegistry {
  readonly groupId: number
  /** In their order. */
  readonly upstreams: readonly KnownUpstream[]
}

interface Row {
  readonly group_id: number
  readonly upstream_id: number | null
  readonly name: string | null
  readonly url: string | null
  readonly username: string | null
  readonly password: Buffer | null
  readonly cache_validity_hours: number | null
  readonly entry_id: number | null
  readonly accept: string | null
  readonly digest: string | null
  readonly media_type: string | null
  readonly upstream_etag: string | null
  readonly upstream_checked_at: string | null
  readonly file_id: string | null
  readonly storage: FileStorage | null
  readonly key: string | null
  readonly sha256: string | null
  readonly size: number | null
}

const lookUp = statement({
  name: 'cached in a registry',
  build: (db, param: Params<{ registry: number; path: string }>) =>
    db
      .selectFrom('container_registries as r')
      .leftJoin('container_registry_upstreams as a', 'a.registry_id', 'r.id')
      .leftJoin('container_upstreams as u', (join) =>
        join.onRef('u.id', '=', 'a.upstream_id').on('u.deleted_at', 'is', null),
      )
      .leftJoin('container_cache_entries as e', (join) =>
        join
          .onRef('e.upstream_id', '=', 'u.id')
          .on('e.relative_path', '=', param('path'))
          .on(sql<boolean>`(u.purged_at is null or e.created_at > u.purged_at)`),
      )
      .leftJoin('files as f', 'f.id', 'e.file_id')
      .select(['r.group_id', 'u.id as upstream_id', 'u.name', 'u.url', 'u.username', 'u.password'])
      .select(['u.cache_validity_hours', 'e.id as entry_id', 'e.accept', 'e.digest', 'e.media_type'])
      .select(['e.upstream_etag', 'e.upstream_checked_at', 'e.file_id', 'f.storage', 'f.key', 'f.size'])
      .select(sql<string | null>`encode(f.sha256, 'hex')`.as('sha256'))
      .where('r.id', '=', param('registry'))
      .orderBy('a.position')
      .orderBy('e.id'),
})

/** Finds a registry with its upstreams and what they have kept at a path. One statement. */
export async function findRegistryFor(
  db: Db,
  registry: number,
  path: string,
): Promise<KnownRegistry | undefined> {
  const rows: readonly Row[] = await lookUp(db, { registry, path })
  const [first] = rows
  if (first === undefined) return undefined
  const upstreams = new Map<number, KnownUpstream & { entries: Entry[] }>()
  for (const row of rows) {
    const { upstream_id: id, name, url, cache_validity_hours: validHours, username, password } = row
    if (id === null || name === null || url === null || validHours === null) continue
    const known = upstreams.get(id) ?? {
      id,
      groupId: row.group_id,
      name,
      url,
      username,
      password,
      validHours,
      entries: [],
    }
    upstreams.set(id, known)
    const entry = entryOf(row)
    if (entry !== undefined) known.entries.push(entry)
  }
  return { groupId: first.group_id, upstreams: [...upstreams.values()] }
}

function entryOf(row: Row): Entry | undefined {
  const { entry_id: id, accept, digest, media_type: mediaType, upstream_etag: etag } = row
  const { file_id: fileId, storage, key, sha256, size, upstream_checked_at: checked } = row
  if (id === null || accept === null || digest === null || mediaType === null || checked === null)
    return undefined
  if (fileId === null || storage === null || key === null || sha256 === null || size === null)
    return undefined
  const file = { id: fileId, storage, key, sha256, size, mediaType: null }
  return { id, accept, digest, mediaType, etag, checkedAt: Date.parse(iso(checked)), file }
}

/** The entries at one path of one upstream: several for a tag, by what clients accept. */
export async function findEntries(db: Db, upstreamId: number, path: string): Promise<Entry[]> {
  const rows = await db
    .selectFrom('container_cache_entries as e')
    .innerJoin('container_upstreams as u', 'u.id', 'e.upstream_id')
    .innerJoin('files as f', 'f.id', 'e.file_id')
    .select(['e.id as entry_id', 'e.accept', 'e.digest', 'e.media_type', 'e.upstream_etag'])
    .select(['e.upstream_checked_at', 'e.file_id', 'f.storage', 'f.key', 'f.size'])
    .select(sql<string | null>`encode(f.sha256, 'hex')`.as('sha256'))
    .where('e.upstream_id', '=', upstreamId)
    .where('e.relative_path', '=', path)
    .where(sql<boolean>`(u.purged_at is null or e.created_at > u.purged_at)`)
    .orderBy('e.id')
    .execute()
  return rows.flatMap((row) => entryOf({ ...none, ...row }) ?? [])
}

/** Whether an upstream of a group keeps something with this digest. */
export async function isCachedIn(db: Db, groupId: number, sha256: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from files f join container_cache_entries e on e.file_id = f.id
      join container_upstreams u on u.id = e.upstream_id
    where f.sha256 = ${Buffer.from(sha256, 'hex')} and u.group_id = ${groupId} and u.deleted_at is null
      and (u.purged_at is null or e.created_at > u.purged_at)
    limit 1`.execute(db)
  return rows.length > 0
}

const none = {
  group_id: 0,
  upstream_id: null,
  name: null,
  url: null,
  username: null,
  password: null,
  cache_validity_hours: null,
}

/** What an upstream has answered with, and where. */
export interface NewEntry {
  readonly path: string
  readonly accept: string
  readonly digest: string
  readonly mediaType: string
  readonly etag: string | null
}

/**
 * Keeps a file for paths of an upstream, instead of what was kept there.
 * @returns the entries in the order of the paths; none when the upstream is gone.
 */
export function keepEntries(
  source: TransactionSource,
  upstreamId: number,
  file: StoredFile,
  entries: readonly NewEntry[],
): Promise<Entry[]> {
  return transact(source, { author: null, ip: null }, async (tx) => {
    const { rows } = await sql<{ id: number }>`
      select id from container_upstreams where id = ${upstreamId} and deleted_at is null for key share`.execute(
      tx.db,
    )
    if (rows.length === 0) return []
    const now = { upstream_checked_at: tx.now, downloaded_at: tx.now, created_at: tx.now, updated_at: tx.now }
    const kept = new Map<NewEntry, Entry>()
    // In one order, because two may keep the same paths.
    for (const entry of entries.toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
      const { path, accept, digest, mediaType, etag } = entry
      const what = { file_id: file.id, digest, media_type: mediaType, size: file.size, upstream_etag: etag }
      const { id } = await tx.db
        .insertInto('container_cache_entries')
        .values({ upstream_id: upstreamId, relative_path: path, accept, ...what, ...now })
        .onConflict((oc) =>
          oc.constraint('container_cache_entries_path_key').doUpdateSet({ ...what, ...now }),
        )
        .returning('id')
        .executeTakeFirstOrThrow()
      kept.set(entry, { id, accept, digest, mediaType, etag, checkedAt: Date.parse(iso(tx.now)), file })
    }
    return entries.flatMap((entry) => kept.get(entry) ?? [])
  })
}

/** Notes that an upstream still has what is kept. */
export async function noteChecked({ db, clock }: TransactionSource, id: number): Promise<void> {
  const now = clock.now().toISOString()
  await sql`
    update container_cache_entries set upstream_checked_at = ${now}, updated_at = ${now} where id = ${id}`.execute(
    db,
  )
}

/** Forgets what an upstream no longer has, or whose bytes are lost. */
export async function forgetEntry(db: Db, id: number): Promise<void> {
  await sql`delete from container_cache_entries where id = ${id}`.execute(db)
}
