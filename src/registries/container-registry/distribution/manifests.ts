import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { StoredFile } from '#platform/files/files.ts'
import { record } from '#platform/facts/record.ts'
import type { Digest } from '../../oci/names.ts'
import { denied, RegistryError } from '../../oci/errors.ts'
import type { RepositoryAccess } from '../authorize.ts'
import type { ReadManifest } from './read-manifest.ts'

export const manifestUnknown = () => new RegistryError(404, 'MANIFEST_UNKNOWN', 'manifest unknown')

export interface KeptManifest {
  readonly id: number
  readonly mediaType: string
  readonly file: StoredFile
}

/** A tag, or a manifest by its digest. */
export interface Reference {
  readonly reference: string
  readonly digest: Digest | undefined
}

/**
 * The manifest of a tag or digest. Whoever asks may be about to name it, so it counts as just used and no clean-up takes it for
 * a day.
 */
export async function findManifest(
  db: Db,
  repositoryId: number,
  { reference, digest }: Reference,
  now: string,
): Promise<KeptManifest | undefined> {
  const chosen =
    digest === undefined
      ? sql`container_tags t join container_manifests m on m.id = t.manifest_id
          where t.repository_id = ${repositoryId} and t.name = ${reference}`
      : sql`container_manifests m
          where m.repository_id = ${repositoryId} and m.digest = ${Buffer.from(digest.hex, 'hex')}`
  const { rows } = await sql<StoredFile & { manifest: number; type: string; old: boolean }>`
    select c.id as manifest, c.media_type as type, c.touched_at < ${now}::timestamptz - interval '1 hour' as old,
      f.id, f.storage, f.key, encode(f.sha256, 'hex') as sha256, f.size, f.media_type as "mediaType"
    from (select m.id, m.media_type, m.file_id, m.touched_at from ${chosen}) c join files f on f.id = c.file_id`.execute(
    db,
  )
  const [found] = rows
  if (found === undefined) return undefined
  const { manifest: id, type: mediaType, old, ...file } = found
  if (old) await db.updateTable('container_manifests').set({ touched_at: now }).where('id', '=', id).execute()
  return { id, mediaType, file }
}

export interface NewManifest {
  readonly read: ReadManifest
  readonly file: StoredFile
  /** Undefined when it is pushed by its digest. */
  readonly tag: string | undefined
}

/**
 * Keeps a manifest in a repository, and gives it a tag. It shares a lock on the repository, which a clean-up takes alone: what is
 * there now stays until this has named it.
 * @returns whether the tag had another manifest
 * @throws 400 for blobs and manifests that it names and the repository has not, and for one that is here as another media type
 */
export async function keepManifest(
  tx: Tx,
  { project, rest }: RepositoryAccess,
  repositoryId: number,
  { read, file, tag }: NewManifest,
): Promise<{ readonly replaces: boolean }> {
  await sql`select from container_repositories where id = ${repositoryId} for share`.execute(tx.db)
  const blobs = await idsOf(tx, 'container_blobs', repositoryId, read.blobs)
  const children = await idsOf(tx, 'container_manifests', repositoryId, read.children)
  const digest = Buffer.from(file.sha256, 'hex')
  const { rows } = await sql<{ id: number; isNew: boolean; mediaType: string }>`
    insert into container_manifests as m
      (repository_id, digest, file_id, size, total_size, media_type, artifact_type, config_digest, annotations, subject, created_at, touched_at)
    values (${repositoryId}, ${digest}, ${file.id}, ${file.size}, ${totalOf(file.size, blobs, children)}, ${read.mediaType},
      ${read.artifactType}, ${read.config === null ? null : Buffer.from(read.config, 'hex')},
      ${read.annotations === null ? null : JSON.stringify(read.annotations)},
      ${read.subject === null ? null : Buffer.from(read.subject, 'hex')}, ${tx.now}, ${tx.now})
    on conflict (repository_id, digest) do update set touched_at = excluded.touched_at
    returning m.id, m.xmax = 0 as "isNew", m.media_type as "mediaType"`.execute(tx.db)
  const [manifest] = rows
  if (manifest === undefined) throw new Error('No manifest was kept')
  // The same bytes may mean something else under another type, also to those who pull them by a tag that nobody may change.
  if (manifest.mediaType !== read.mediaType)
    throw new RegistryError(400, 'MANIFEST_INVALID', `this manifest is here as ${manifest.mediaType}`)
  if (manifest.isNew) {
    await link(tx, 'container_manifest_blobs', manifest.id, blobs)
    await link(tx, 'container_manifest_children', manifest.id, children)
  }
  if (tag === undefined) return { replaces: false }
  const replaces = await giveTag(tx, repositoryId, tag, manifest.id)
  record(tx, {
    name: 'container tag pushed',
    namespace: project.namespace_id,
    target: { type: 'ContainerRepository', id: repositoryId },
    details: { repository: rest, tag, digest: `sha256:${file.sha256}` },
  })
  return { replaces }
}

interface Named {
  readonly id: number
  readonly size: number
}

/** What a repository has of what a manifest names. */
async function idsOf(
  tx: Tx,
  table: 'container_blobs' | 'container_manifests',
  repositoryId: number,
  digests: readonly string[],
): Promise<readonly Named[]> {
  if (digests.length === 0) return []
  const size = table === 'container_blobs' ? sql`x.size` : sql`x.total_size`
  const { rows } = await sql<Named & { digest: string }>`
    select x.id, ${size} as size, encode(x.digest, 'hex') as digest from ${sql.table(table)} x
    where x.repository_id = ${repositoryId} and x.digest = any(${digests.map((hex) => Buffer.from(hex, 'hex'))}::bytea[])
    order by x.id for key share`.execute(tx.db)
  const known = new Set(rows.map(({ digest }) => digest))
  const missing = digests.find((hex) => !known.has(hex))
  if (missing !== undefined)
    throw new RegistryError(
      400,
      table === 'container_blobs' ? 'MANIFEST_BLOB_UNKNOWN' : 'MANIFEST_UNKNOWN',
      `the manifest names what is not in this repository: sha256:${missing}`,
    )
  return rows
}

/** What all take together. Indexes of indexes count what they share again and again, so that there is an end to it. */
const totalOf = (own: number, ...named: readonly (readonly Named[])[]): number =>
  Math.min(
    named.flat().reduce((sum, { size }) => sum + size, own),
    Number.MAX_SAFE_INTEGER,
  )

async function link(
  tx: Tx,
  table: 'container_manifest_blobs' | 'container_manifest_children',
  id: number,
  named: readonly Named[],
): Promise<void> {
  if (named.length === 0) return
  await sql`insert into ${sql.table(table)} select ${id}::bigint, unnest(${named.map((one) => one.id)}::bigint[])`.execute(
    tx.db,
  )
}

/** @returns whether it had another manifest */
async function giveTag(tx: Tx, repositoryId: number, name: string, manifestId: number): Promise<boolean> {
  // The manifest that it had stays for a day.
  await sql`
    update container_manifests m set touched_at = ${tx.now} from container_tags t
    where t.repository_id = ${repositoryId} and t.name = ${name} and m.id = t.manifest_id and m.id <> ${manifestId}`.execute(
    tx.db,
  )
  const { rows } = await sql<{ isNew: boolean }>`
    insert into container_tags as t (repository_id, name, manifest_id, created_at, updated_at)
    values (${repositoryId}, ${name}, ${manifestId}, ${tx.now}, ${tx.now})
    on conflict (repository_id, name) do update set manifest_id = excluded.manifest_id, updated_at = excluded.updated_at
      where t.manifest_id <> excluded.manifest_id
    returning t.xmax = 0 as "isNew"`.execute(tx.db)
  return rows.some(({ isNew }) => !isNew)
}

/** Tags that one manifest may have when it is deleted with them. */
const MOST_TAGS = 1_000

/** The tags that name a manifest. @throws 403 for one that has too many for asking the rules about each */
export async function tagsOf(tx: Tx, manifestId: number): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('container_tags')
    .select('name')
    .where('manifest_id', '=', manifestId)
    .orderBy('name')
    .limit(MOST_TAGS + 1)
    .execute()
  if (rows.length > MOST_TAGS)
    throw denied(`this manifest has more than ${MOST_TAGS} tags: delete some of them first`)
  return rows.map(({ name }) => name)
}

/**
 * Locks a manifest that will be deleted, so that it gets no further tag.
 * @throws 404 for one that is not there, 409 for one that an index names
 */
export async function lockManifest(tx: Tx, repositoryId: number, hex: string): Promise<number> {
  const found = await tx.db
    .selectFrom('container_manifests as m')
    .select('m.id')
    .select(
      sql<boolean>`exists (select from container_manifest_children c where c.child_id = m.id)`.as('named'),
    )
    .where('m.repository_id', '=', repositoryId)
    .where('m.digest', '=', Buffer.from(hex, 'hex'))
    .forUpdate('m')
    .executeTakeFirstOrThrow(manifestUnknown)
  if (found.named)
    throw new RegistryError(
      409,
      'MANIFEST_REFERENCED',
      'an index names this manifest: delete the index first',
    )
  return found.id
}

/** @param id of one that is locked */
export async function deleteManifest(tx: Tx, id: number): Promise<void> {
  await tx.db.deleteFrom('container_manifests').where('id', '=', id).execute()
}
