import { Type, type Static } from 'typebox'
import type { FastifyRequest } from 'fastify'
import type { StoredFile } from '#platform/files/files.ts'
import { baseUrl } from '#platform/http/links.ts'
import { unprocessable } from '#platform/refusals.ts'
import type { Service } from '#code/git-transport/access.ts'
import { adoptObjects } from './adopt-objects.ts'
import type { LfsAccess } from './lfs-project.ts'
import { assertRoom, maxObject, tooLarge } from './limits.ts'
import { lfsSizeOf, objectsOf } from './queries.ts'

/** Objects of one request. The client sends a hundred. */
const MOST_OBJECTS = 1_000
/** Bytes of a body: so many objects, written widely. */
export const MOST_BATCH = 512 * 1024

const maybe = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Optional(Type.Union([Type.Null(), schema]))

/** What a client asks for. */
export const BatchBody = Type.Object({
  operation: Type.Union([Type.Literal('download'), Type.Literal('upload')]),
  transfers: maybe(Type.Array(Type.String())),
  hash_algo: maybe(Type.String()),
  objects: Type.Array(
    Type.Object({
      oid: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    }),
  ),
})

type Batch = Static<typeof BatchBody>
type Wanted = Batch['objects'][number]

interface Action {
  readonly href: string
  readonly header?: Readonly<Record<string, string>>
}

/** What a client reads of an object: what to do with it, or why there is nothing to do. */
interface BatchObject extends Wanted {
  readonly authenticated?: true
  readonly actions?: Readonly<Record<string, Action>>
  readonly error?: { readonly code: number; readonly message: string }
}

const MISSING = 'The object does not exist in this project.'

/** @throws 422 for a batch that this server does not serve */
export function assertServed({ transfers, hash_algo, objects }: Batch): void {
  if (objects.length > MOST_OBJECTS) throw unprocessable(`A batch has at most ${MOST_OBJECTS} objects`)
  if (hash_algo !== undefined && hash_algo !== null && hash_algo !== 'sha256')
    throw unprocessable('Objects are named by sha256 here')
  if (transfers?.length && !transfers.includes('basic'))
    throw unprocessable('This server has the transfer adapter basic alone')
}

/** Where the objects are, for clients that want to download them. */
export async function offerDownloads(
  req: FastifyRequest,
  at: LfsAccess,
  wanted: readonly Wanted[],
): Promise<BatchObject[]> {
  const { files } = req.server.services
  const found = await objectsAt(req, at, 'git-upload-pack', wanted)
  return Promise.all(
    wanted.map(async ({ oid }): Promise<BatchObject> => {
      const file = found.get(oid)
      if (file === undefined) return { oid, size: 0, error: { code: 404, message: MISSING } }
      const signed = await files.signedUrl(file, {
        mediaType: 'application/octet-stream',
        disposition: 'attachment',
      })
      const download = signed === undefined ? actionOf(req, `gitlab-lfs/objects/${oid}`) : { href: signed }
      return { oid, size: file.size, authenticated: true, actions: { download } }
    }),
  )
}

/**
 * Where to upload the objects that the project does not have yet.
 * @throws 507 when they would take more than the project may
 */
export async function offerUploads(
  req: FastifyRequest,
  at: LfsAccess,
  given: readonly Wanted[],
): Promise<BatchObject[]> {
  const { db, settings } = req.server.services
  const limits = settings()
  const found = await objectsAt(req, at, 'git-receive-pack', given)
  // A batch may name an object twice, which takes its room once.
  const fresh = new Map(given.filter(({ oid }) => !found.has(oid)).map(({ oid, size }) => [oid, size]))
  const more = [...fresh.values()].reduce((sum, size) => sum + size, 0)
  if (limits.max_lfs_project_size > 0) assertRoom(limits, (await lfsSizeOf(db, at.project.id)) + more)
  return given.map(({ oid, size }): BatchObject => {
    if (found.has(oid)) return { oid, size }
    if (size > maxObject(limits)) return { oid, size, error: { code: 422, message: tooLarge(limits) } }
    const upload = actionOf(req, `gitlab-lfs/objects/${oid}/${size}`)
    const verify = actionOf(req, 'info/lfs/objects/verify')
    return { oid, size, authenticated: true, actions: { upload, verify } }
  })
}

/** The objects that the project has, with those of its relatives that it gets now. */
async function objectsAt(
  { server: { services } }: FastifyRequest,
  { access, project: { id } }: LfsAccess,
  service: Service,
  wanted: readonly Wanted[],
): Promise<Map<string, StoredFile>> {
  const oids = [...new Set(wanted.map(({ oid }) => oid))]
  const found = await objectsOf(services.db, id, oids)
  const missing = oids.filter((oid) => !found.has(oid))
  const adopted = await adoptObjects(services, { access, service, projectId: id }, missing)
  return adopted ? objectsOf(services.db, id, oids) : found
}

/** The client shows the same credentials again. Without a header it would ask a person for some. */
function actionOf(req: FastifyRequest, path: string): Action {
  const { authorization } = req.headers
  return {
    href: `${baseUrl(req)}/${pathOf(req)}.git/${path}`,
    ...(authorization !== undefined && { header: { Authorization: authorization } }),
  }
}

/** The path of the repository as it was asked for. */
function pathOf({ params }: FastifyRequest): string {
  const path =
    typeof params === 'object' && params !== null && 'project' in params ? String(params.project) : ''
  return path.split('/').map(encodeURIComponent).join('/')
}
