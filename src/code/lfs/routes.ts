import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { outside } from '#platform/access/route-access.ts'
import { transact } from '#platform/db/transaction.ts'
import { sendFile } from '#platform/files/send-file.ts'
import { raw, streamed } from '#platform/http/body-kind.ts'
import { integer, text } from '#platform/http/schema.ts'
import { NotFound, unprocessable } from '#platform/refusals.ts'
import { authorizeGit } from '#code/git-http/authorize-git.ts'
import { GIT } from '#code/git-http/paths.ts'
import type { Service } from '#code/git-transport/access.ts'
import { sendLfs } from './answers.ts'
import { writeLfsError } from './errors.ts'
import { assertServed, BatchBody, MOST_BATCH, offerDownloads, offerUploads } from './batch.ts'
import { keepObject } from './keep-object.ts'
import { type LfsAccess, type LfsProject, lfsProject } from './lfs-project.ts'
import { assertRoom, assertSize } from './limits.ts'
import { lfsSizeOf, objectsOf } from './queries.ts'
import { bodyAs } from './read-body.ts'

const project = text({ max: 8_192 })
const oid = text({ max: 64 })
const params = Type.Object({ project })
const ByObject = Type.Object({ project, oid })
const ByUpload = Type.Object({ project, oid, size: integer({ minimum: 0 }) })
const VerifyBody = Type.Object({
  oid: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  size: Type.Integer({ minimum: 0 }),
})

const OBJECTS = `${GIT}/gitlab-lfs/objects/:oid`

/** The batch API of Git LFS with the transfer adapter `basic`: objects go through this server, or come from where files are. */
export const lfsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app
  const errorHandler = writeLfsError

  const authorize = async (req: FastifyRequest, path: string, service: Service): Promise<LfsAccess> => {
    const access = await authorizeGit(req, path, service)
    return { access, project: await lfsProject(services.db, access) }
  }
  /** The file of an object that the project has. */
  const fileOf = async (of: LfsProject, id: string) => {
    const file = (await objectsOf(services.db, of.id, [id])).get(id)
    if (file === undefined) throw new NotFound('The object does not exist in this project.')
    return file
  }

  app.post(
    `${GIT}/info/lfs/objects/batch`,
    { config: { ...outside, ...raw(MOST_BATCH) }, schema: { params }, errorHandler },
    async (req, reply) => {
      const batch = await bodyAs(req, BatchBody)
      assertServed(batch)
      const isDownload = batch.operation === 'download'
      const service = isDownload ? 'git-upload-pack' : 'git-receive-pack'
      const found = await authorize(req, req.params.project, service)
      const offer = isDownload ? offerDownloads : offerUploads
      const objects = await offer(req, found, batch.objects)
      return sendLfs(reply, 200, { transfer: 'basic', hash_algo: 'sha256', objects })
    },
  )

  app.put(
    `${OBJECTS}/:size`,
    { config: { ...outside, ...streamed }, schema: { params: ByUpload }, errorHandler },
    async (req, reply) => {
      const { oid: sha256, size } = req.params
      const found = await authorize(req, req.params.project, 'git-receive-pack')
      const settings = services.settings()
      // Bytes that the project may not have are refused before they take room.
      assertSize(settings, size)
      if (
        settings.max_lfs_project_size > 0 &&
        !(await objectsOf(services.db, found.project.id, [sha256])).has(sha256)
      )
        assertRoom(settings, (await lfsSizeOf(services.db, found.project.id)) + size)
      const file = await services.files.store(req.bodyStream(), { max: size, sha256 })
      if (file.size !== size) throw unprocessable('The object does not have the announced size.')
      await transact(services, found.access.by, (tx) => keepObject(tx, found.project, file, settings))
      return reply.code(200).send('')
    },
  )

  app.get(OBJECTS, { config: outside, schema: { params: ByObject }, errorHandler }, async (req, reply) => {
    const found = await authorize(req, req.params.project, 'git-upload-pack')
    const file = await fileOf(found.project, req.params.oid)
    const bytes = await sendFile(req, reply, file, {
      filename: req.params.oid,
      mediaType: 'application/octet-stream',
      inline: false,
    })
    return bytes ?? reply
  })

  app.post(
    `${GIT}/info/lfs/objects/verify`,
    { config: { ...outside, ...raw(MOST_VERIFY) }, schema: { params }, errorHandler },
    async (req, reply) => {
      const { oid: sha256, size } = await bodyAs(req, VerifyBody)
      const found = await authorize(req, req.params.project, 'git-receive-pack')
      const file = await fileOf(found.project, sha256)
      if (file.size !== size) throw unprocessable('The object does not have the announced size.')
      return sendLfs(reply, 200, { oid: sha256, size })
    },
  )
}

/** Bytes of a body that names one object. */
const MOST_VERIFY = 1_024
