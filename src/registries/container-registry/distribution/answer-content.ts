import { createHash } from 'node:crypto'
import { sendHead } from '#platform/http/headers.ts'
import { transact } from '#platform/db/transaction.ts'
import { RegistryError } from '../../oci/errors.ts'
import { deleteTag } from '../delete-tag.ts'
import { assertRoom } from '../limits.ts'
import { assertRepositoryOpen, TagRules } from '../protection.ts'
import { findRepository, openRepository } from '../repositories.ts'
import { blobUnknown, deleteBlob, findBlob, sendBytes } from './blobs.ts'
import { type Exchange, queryOf, repositoryOf } from './context.ts'
import { readPage, referrersOf, tagNames } from './lists.ts'
import {
  deleteManifest,
  findManifest,
  keepManifest,
  type KeptManifest,
  lockManifest,
  manifestUnknown,
  tagsOf,
} from './manifests.ts'
import { refuseMethod, type Target } from './paths.ts'
import { MAX_MANIFEST, readManifest } from './read-manifest.ts'

type Of<Kind extends Target['kind']> = Extract<Target, { kind: Kind }>

/** Sends a blob of a repository, or deletes it. */
export async function answerBlob(exchange: Exchange, { image, digest }: Of<'blob'>): Promise<unknown> {
  const { req, reply, services } = exchange
  const { hex } = digest
  if (req.method === 'DELETE') {
    const access = await exchange.authorize(image, 'delete')
    await assertRepositoryOpen(services.db, access, 'delete')
    const repositoryId = await repositoryOf(exchange, access)
    await transact(services, access.by, (tx) => deleteBlob(tx, repositoryId, hex))
    return reply.code(202).send()
  }
  if (!isRead(exchange)) refuseMethod('GET, HEAD, DELETE')
  const access = await exchange.authorize(image, 'pull')
  const repositoryId = await repositoryOf(exchange, access)
  const found = await findBlob(services.db, { repositoryId, hex, now: nowOf(exchange) })
  if (found === undefined) throw blobUnknown()
  return (await sendBytes(req, reply, found.file)) ?? reply
}

const nowOf = ({ services }: Exchange): string => services.clock.now().toISOString()

const isRead = ({ req }: Exchange): boolean => req.method === 'GET' || req.method === 'HEAD'

/** Sends a manifest, takes one, or deletes one or a tag. */
export async function answerManifest(exchange: Exchange, asked: Of<'manifest'>): Promise<unknown> {
  const { req } = exchange
  if (req.method === 'PUT') return takeManifest(exchange, asked)
  if (req.method === 'DELETE') return deleteReference(exchange, asked)
  if (!isRead(exchange)) refuseMethod('GET, HEAD, PUT, DELETE')
  const access = await exchange.authorize(asked.image, 'pull')
  const repositoryId = await repositoryOf(exchange, access)
  const found = await findManifest(exchange.services.db, repositoryId, asked, nowOf(exchange))
  if (found === undefined) throw manifestUnknown()
  return sendManifest(exchange, found, asked.digest !== undefined)
}

async function sendManifest(
  { req, reply, services, recent }: Exchange,
  { file, mediaType }: KeptManifest,
  isDigest: boolean,
): Promise<unknown> {
  const digest = `sha256:${file.sha256}`
  const etag = `"${digest}"`
  reply.headers({
    etag,
    'docker-content-digest': digest,
    // A tag may change at any time.
    'cache-control': isDigest ? 'private, max-age=31536000, immutable' : 'private, no-cache',
    'content-type': mediaType,
  })
  if (req.headers['if-none-match'] === etag) return sendHead(reply.code(304))
  if (req.method === 'HEAD') return sendHead(reply.header('content-length', file.size))
  const known = recent.get(file.sha256)
  if (known !== undefined) return known
  const bytes = await services.files.read(file)
  if (bytes === undefined) throw manifestUnknown()
  const all = await collected(bytes)
  recent.keep(file.sha256, all)
  return all
}

async function takeManifest(exchange: Exchange, asked: Of<'manifest'>): Promise<unknown> {
  const { req, reply, services } = exchange
  const { image, reference, digest } = asked
  const access = await exchange.authorize(image, 'push')
  await assertRepositoryOpen(services.db, access, 'push')
  if (Number(req.headers['content-length'] ?? 0) > MAX_MANIFEST) throw tooLarge()
  const bytes = await collected(req.bodyStream(), req.server.bodyMemory.for(reply.raw))
  const read = readManifest(bytes, req.headers['content-type'])
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  if (digest !== undefined && digest.hex !== sha256)
    throw new RegistryError(400, 'DIGEST_INVALID', 'the manifest does not have this digest')
  const tag = digest === undefined ? reference : undefined
  const file = await services.files.store(bytes, { max: MAX_MANIFEST })
  await transact(services, access.by, async (tx) => {
    const { replaces } = await keepManifest(tx, access, await openRepository(tx, access), { read, file, tag })
    // Here, where nobody else can give the tag a manifest any more. A refusal takes everything back.
    if (tag !== undefined)
      (await TagRules.of(tx.db, access.project.id)).assertMayPush(access.role, tag, replaces)
    await assertRoom(tx.db, services.settings(), access.project.id)
  })
  return reply
    .code(201)
    .headers({
      location: `/v2/${image}/manifests/sha256:${sha256}`,
      'docker-content-digest': `sha256:${sha256}`,
      ...(read.subject !== null && { 'oci-subject': `sha256:${read.subject}` }),
    })
    .send()
}

async function deleteReference(exchange: Exchange, asked: Of<'manifest'>): Promise<unknown> {
  const { reply, services } = exchange
  const { image, reference, digest } = asked
  const access = await exchange.authorize(image, 'delete')
  await assertRepositoryOpen(services.db, access, 'delete')
  const repositoryId = await repositoryOf(exchange, access)
  const rules = await TagRules.of(services.db, access.project.id)
  await transact(services, access.by, async (tx) => {
    const manifestId = digest && (await lockManifest(tx, repositoryId, digest.hex))
    const tags = manifestId === undefined ? [reference] : await tagsOf(tx, manifestId)
    for (const tag of tags) {
      rules.assertMayDelete(access.role, tag)
      const wasThere = await deleteTag(tx, access, repositoryId, tag)
      if (!wasThere) throw manifestUnknown()
    }
    if (manifestId !== undefined) await deleteManifest(tx, manifestId)
  })
  return reply.code(202).send()
}

const tooLarge = () =>
  new RegistryError(413, 'MANIFEST_INVALID', `a manifest has at most ${MAX_MANIFEST} bytes`)

/** @param claim counts bytes of bodies in the memory of all requests */
async function collected(body: AsyncIterable<Uint8Array>, claim?: (bytes: number) => void): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    size += piece.length
    if (size > MAX_MANIFEST) throw tooLarge()
    claim?.(piece.length)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

export async function answerTags(exchange: Exchange, { image }: Of<'tags'>): Promise<unknown> {
  const { req, reply, services } = exchange
  if (!isRead(exchange)) refuseMethod('GET, HEAD')
  const access = await exchange.authorize(image, 'pull')
  const page = readPage(queryOf(req))
  const { names, last } = await tagNames(services.db, await repositoryOf(exchange, access), page)
  if (last !== undefined)
    reply.header('link', `</v2/${image}/tags/list?last=${last}&n=${page.count}>; rel="next"`)
  return reply.header('cache-control', 'private, no-cache').send({ name: image, tags: names })
}

export async function answerReferrers(
  exchange: Exchange,
  { image, digest }: Of<'referrers'>,
): Promise<unknown> {
  const { req, reply, services } = exchange
  if (!isRead(exchange)) refuseMethod('GET, HEAD')
  const access = await exchange.authorize(image, 'pull')
  const query = queryOf(req)
  const type = query.get('artifactType')
  const after = /^\d{1,15}$/.test(query.get('last') ?? '') ? Number(query.get('last')) : 0
  // What nobody has pushed has no referrers yet, so that is no error.
  const repositoryId = await findRepository(services.db, access)
  const { manifests, next } =
    repositoryId === undefined
      ? { manifests: [], next: undefined }
      : await referrersOf(services.db, repositoryId, { hex: digest.hex, type, after })
  if (next !== undefined) {
    const filter = type === null ? '' : `&artifactType=${encodeURIComponent(type)}`
    reply.header('link', `</v2/${image}/referrers/${digest.text}?last=${next}${filter}>; rel="next"`)
  }
  if (type !== null) reply.header('oci-filters-applied', 'artifactType')
  const mediaType = 'application/vnd.oci.image.index.v1+json'
  return reply
    .header('cache-control', 'private, no-cache')
    .header('content-type', mediaType)
    .send(Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests })))
}
