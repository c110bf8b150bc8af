import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type ProjectOrGroup, projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { reads, writes } from '#platform/access/route-access.ts'
import { sendFile } from '#platform/files/send-file.ts'
import { streamed } from '#platform/http/body-kind.ts'
import { receiveMultipart } from '#platform/http/multipart-upload.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, fileAnswers, integer, NoContent, secret, text } from '#platform/http/schema.ts'
import { createUpload, storeUpload } from './create-upload.ts'
import { deleteUpload } from './delete-upload.ts'
import { NewUpload, presentNewUpload, presentUpload, Upload } from './entity.ts'
import { sendingOf } from './media-types.ts'
import { findUpload, type UploadName, uploadNotFound, uploadOrder, uploadsOf } from './queries.ts'

const ByUpload = Type.Object({ ...ById.properties, upload_id: integer() })
const BySecret = Type.Object({ ...ById.properties, secret: secret({ max: 64 }), filename: text() })

/** Texts of an upload: nobody reads them. */
const MOST_FIELDS = 20

/** Files that people attach to the texts of projects and groups. */
export const uploadRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const place of projectsAndGroups) {
    await app.register(creationRoutes(place))
    await app.register(namedRoutes(place))
  }
}

/** Routes of all uploads of a project or group. */
const creationRoutes =
  ({ kind, subject, open }: ProjectOrGroup): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db, services } = app
    const url = `/${kind}s/:id/uploads`

    app.post(
      url,
      {
        config: { ...writes(subject('create_upload')), ...streamed },
        schema: {
          summary: `Upload a file to a ${kind}`,
          description:
            'As `multipart/form-data` with the part `file`. Texts show it by the `markdown` of the answer.',
          params: ById,
          refuses: [507],
          response: { 201: NewUpload },
        },
      },
      async (req, reply) => {
        const { container } = open(req)
        const body = {
          stream: req.bodyStream(),
          contentType: req.headers['content-type'],
          claim: app.bodyMemory.for(reply.raw),
        }
        const { stored, filename } = await receiveMultipart(body, {
          part: 'file',
          fields: MOST_FIELDS,
          store: (content) => storeUpload(services, container.namespace_id, content),
        })
        const made = await req.write((tx) =>
          createUpload(tx, container, stored, filename, services.settings()),
        )
        return presentNewUpload(container, made)
      },
    )

    app.get(
      url,
      {
        config: reads(subject('list_uploads')),
        schema: {
          summary: `List the uploads of a ${kind}`,
          description: 'The last one first.',
          params: ById,
          querystring: Type.Object(pageParameters),
          response: { 200: Type.Array(Upload) },
        },
      },
      async (req, reply) => {
        const rows = await paginate(req, reply, uploadsOf(db, open(req).container.namespace_id), uploadOrder)
        return rows.map(presentUpload)
      },
    )
  }

/** Routes of one upload, by its number or by its secret. */
const namedRoutes =
  ({ kind, subject, open }: ProjectOrGroup): FastifyPluginAsyncTypebox =>
  async (app) => {
    const { db, services } = app
    const byId = `/${kind}s/:id/uploads/:upload_id` as const
    const bySecret = `/${kind}s/:id/uploads/:secret/:filename` as const
    const response = fileAnswers('application/octet-stream')
    const method = ['GET', 'HEAD']

    async function send(req: FastifyRequest, reply: FastifyReply, named: UploadName) {
      const { file_id, filename } = await findUpload(db, open(req).container.namespace_id, named)
      const stored = await services.files.find(file_id)
      if (stored === undefined) throw uploadNotFound()
      const { mediaType, inline } = sendingOf(filename)
      // Pages show pictures of their own server alone.
      return sendFile(req, reply, stored, { filename, mediaType, inline, redirects: !inline })
    }

    app.route({
      method,
      url: byId,
      config: reads(subject('list_uploads')),
      schema: { summary: `Download an upload of a ${kind}`, params: ByUpload, response },
      handler: (req, reply) => send(req, reply, req.params),
    })

    app.route({
      method,
      url: bySecret,
      config: reads(subject('read_upload'), { anonymous: true }),
      schema: {
        summary: `Download an upload of a ${kind} by its secret`,
        description: 'For everybody who may see the place. Harmless pictures are shown, all else is saved.',
        params: BySecret,
        response,
      },
      handler: (req, reply) => send(req, reply, req.params),
    })

    app.delete(
      byId,
      {
        config: writes(subject('delete_upload')),
        schema: {
          summary: `Delete an upload of a ${kind}`,
          description: 'Texts that name it show nothing then.',
          params: ByUpload,
          response: { 204: NoContent },
        },
      },
      async (req) => {
        await req.write((tx) => deleteUpload(tx, open(req).container, req.params))
      },
    )

    app.delete(
      bySecret,
      {
        config: writes(subject('delete_upload')),
        schema: {
          summary: `Delete an upload of a ${kind} by its secret`,
          params: BySecret,
          response: { 204: NoContent },
        },
      },
      async (req) => {
        await req.write((tx) => deleteUpload(tx, open(req).container, req.params))
      },
    )
  }
