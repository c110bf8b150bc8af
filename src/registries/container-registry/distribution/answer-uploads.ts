import type { FastifyReply } from 'fastify'
import { transact } from '#platform/db/transaction.ts'
import { OtherBytes } from '#platform/files/errors.ts'
import type { StoredFile } from '#platform/files/files.ts'
import { RegistryError } from '../../oci/errors.ts'
import { type Digest, digestIn } from '../../oci/names.ts'
import type { RepositoryAccess } from '../authorize.ts'
import { assertRoom, assertUploadsFit, maxBlob, noRoom, roomFor } from '../limits.ts'
import { assertRepositoryOpen } from '../protection.ts'
import { findRepository, openRepository } from '../repositories.ts'
import { within } from '#platform/files/within.ts'
import { findBlob, keepBlob } from './blobs.ts'
import { type Exchange, queryOf, repositoryOf } from './context.ts'
import { refuseMethod, type Target } from './paths.ts'
import {
  addPiece,
  beginUpload,
  findUpload,
  joined,
  OutOfOrder,
  removeUpload,
  type Upload,
  uploadUnknown,
} from './uploads.ts'
import { arriving, readContentRange } from './arriving.ts'

/** Begins to receive a blob, takes one that another repository has, or takes a whole one at once. */
export async function answerUploads(
  exchange: Exchange,
  { image }: Extract<Target, { kind: 'uploads' }>,
): Promise<FastifyReply> {
  const { req, reply, services } = exchange
  if (req.method !== 'POST') refuseMethod('POST')
  const access = await exchange.authorize(image, 'push')
  await assertRepositoryOpen(services.db, access, 'push')
  await assertRoom(services.db, services.settings(), access.project.id)
  const query = queryOf(req)
  const [mount, from, digest] = [query.get('mount'), query.get('from'), query.get('digest')]
  if (digest !== null) return keep(exchange, access, { digest: sha256In(digest), upload: undefined })
  if (mount !== null) {
    const file = await mounted(exchange, from ?? image, sha256In(mount))
    if (file !== undefined) return created(reply, access, await give(exchange, access, file))
  }
  const upload = await transact(services, access.by, async (tx) =>
    beginUpload(tx, await openRepository(tx, access)),
  )
  return describe(reply.code(202), access, upload).send()
}

/** The bytes of a blob of another repository from which the caller may pull. */
async function mounted(exchange: Exchange, from: string, { hex }: Digest): Promise<StoredFile | undefined> {
  const other = await exchange.authorizeOther(from)
  if (other === undefined) return undefined
  const { db, clock } = exchange.services
  const repositoryId = await findRepository(db, other)
  if (repositoryId === undefined) return undefined
  return (await findBlob(db, { repositoryId, hex, now: clock.now().toISOString() }))?.file
}

/** Goes on with a blob: takes a piece, tells how far it is, ends it or gives it up. */
export async function answerUpload(
  exchange: Exchange,
  { image, id }: Extract<Target, { kind: 'upload' }>,
): Promise<FastifyReply> {
  const { req, reply, services } = exchange
  const access = await exchange.authorize(image, 'push')
  const upload = await findUpload(services.db, await repositoryOf(exchange, access), id)
  switch (req.method) {
    case 'GET': {
      return describe(reply.code(204), access, upload).send()
    }
    case 'PATCH': {
      return describe(reply.code(202), access, await receive(exchange, access, upload)).send()
    }
    case 'PUT': {
      const digest = sha256In(queryOf(req).get('digest') ?? '')
      assertFollows(exchange, access, upload)
      return keep(exchange, access, { digest, upload })
    }
    case 'DELETE': {
      const wasThere = await transact(services, access.by, (tx) => removeUpload(tx, id))
      if (!wasThere) throw uploadUnknown()
      return reply.code(204).send()
    }
    default: {
      return refuseMethod('GET, PATCH, PUT, DELETE')
    }
  }
}

/** Takes a piece of a blob. What came of one that breaks off stays, too, so that the client can go on from there. */
async function receive(exchange: Exchange, access: RepositoryAccess, upload: Upload): Promise<Upload> {
  const { req, services } = exchange
  assertFollows(exchange, access, upload)
  const max = maxBlob(services.settings()) - upload.size
  const bytes = await withinRoom(exchange, access, arriving(req.bodyStream()), upload)
  const file = await services.files.store(bytes, { max })
  if (file.size === 0) return upload
  try {
    return await transact(services, access.by, async (tx) => {
      const grown = await addPiece(tx, upload, file)
      await assertUploadsFit(tx, services.settings(), access.project.id)
      return grown
    })
  } catch (error) {
    throw error instanceof OutOfOrder ? outOfOrder(access, error.upload) : error
  }
}

/** Bytes as they come, until the project has no room for more. */
async function withinRoom(
  { services }: Exchange,
  { project }: RepositoryAccess,
  bytes: AsyncIterable<Uint8Array>,
  upload?: Upload,
): Promise<AsyncIterable<Uint8Array>> {
  const limits = services.settings()
  const room = await roomFor(services.db, limits, project.id, upload?.size)
  return room === Infinity ? bytes : within(bytes, room, () => noRoom(limits))
}

/** @throws 416 with how far the blob is, when the client says that it goes on from somewhere else */
function assertFollows({ req }: Exchange, access: RepositoryAccess, upload: Upload): void {
  const from = readContentRange(req.headers['content-range'])
  if (from !== undefined && from !== upload.size) throw outOfOrder(access, upload)
}

interface Keeping {
  readonly digest: Digest
  /** Undefined when all comes at once. */
  readonly upload: Upload | undefined
}

async function keep(
  exchange: Exchange,
  access: RepositoryAccess,
  { digest, upload }: Keeping,
): Promise<FastifyReply> {
  const { req, reply, services } = exchange
  const max = maxBlob(services.settings())
  const last = await withinRoom(exchange, access, req.bodyStream(), upload)
  try {
    const file =
      upload === undefined
        ? await services.files.store(last, { max, sha256: digest.hex })
        : await alone(exchange, upload, async () =>
            joined(services, upload, { last: await orNothing(last), hex: digest.hex, max }),
          )
    return created(reply, access, await give(exchange, access, file, upload?.id))
  } catch (error) {
    if (!(error instanceof OtherBytes)) throw error
    // Otherwise a short request would have all that came copied again and again.
    if (upload !== undefined && upload.size > 0)
      await transact(services, access.by, (tx) => removeUpload(tx, upload.id))
    throw new RegistryError(400, 'DIGEST_INVALID', 'the bytes that came do not have this digest')
  }
}

/** Ends an upload as the only one who does. @throws 429 while somebody else does */
async function alone<T>({ ending }: Exchange, { id }: Upload, work: () => Promise<T>): Promise<T> {
  if (ending.has(id))
    throw new RegistryError(429, 'TOOMANYREQUESTS', 'this upload is being ended', { 'retry-after': '1' })
  ending.add(id)
  try {
    return await work()
  } finally {
    ending.delete(id)
  }
}

/** Undefined for a body without bytes. */
async function orNothing(body: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array> | undefined> {
  const pieces = body[Symbol.asyncIterator]()
  const first = await pieces.next()
  if (first.done === true) return undefined
  return (async function* all() {
    yield first.value
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value
  })()
}

async function give(
  { services }: Exchange,
  access: RepositoryAccess,
  file: StoredFile,
  uploadId?: string,
): Promise<StoredFile> {
  await transact(services, access.by, async (tx) => {
    const repositoryId = await openRepository(tx, access)
    await keepBlob(tx, repositoryId, file)
    if (uploadId !== undefined) await removeUpload(tx, uploadId)
    await assertRoom(tx.db, services.settings(), access.project.id)
  })
  return file
}

function created(reply: FastifyReply, { name }: RepositoryAccess, { sha256 }: StoredFile): FastifyReply {
  return reply
    .code(201)
    .headers({
      location: `/v2/${name}/blobs/sha256:${sha256}`,
      'docker-content-digest': `sha256:${sha256}`,
    })
    .send()
}

const headersOf = ({ name }: RepositoryAccess, { id, size }: Upload) => ({
  location: `/v2/${name}/blobs/uploads/${id}`,
  range: `0-${Math.max(0, size - 1)}`,
  'docker-upload-uuid': id,
  'cache-control': 'no-store',
})

const describe = (reply: FastifyReply, access: RepositoryAccess, upload: Upload): FastifyReply =>
  reply.headers(headersOf(access, upload))

const outOfOrder = (access: RepositoryAccess, upload: Upload) =>
  new RegistryError(
    416,
    'RANGE_INVALID',
    'the piece does not begin where the one before it has ended',
    headersOf(access, upload),
  )

function sha256In(text: string): Digest {
  const digest = digestIn(text)
  if (digest.algorithm !== 'sha256')
    throw new RegistryError(400, 'DIGEST_INVALID', 'images are pushed by digests of SHA-256')
  return digest
}
