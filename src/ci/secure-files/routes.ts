import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { sendFile } from '#platform/files/send-file.ts'
import { type ListOrder, pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, file, fileAnswers, integer, NoContent, text } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { metadataOf } from './metadata/metadata.ts'
import { presentSecureFile, SecureFile, type SecureFileRow } from './entity.ts'
import { createSecureFile, deleteSecureFile, secureFilesOf } from './write-secure-file.ts'

/** Bytes of one file. */
const MOST_BYTES = 5 * 1024 * 1024

const BySecureFile = Type.Object({ ...ById.properties, secure_file_id: integer() })
const NewSecureFile = Type.Object({
  name: text({ filled: true, description: 'Letters, digits, `.`, `_` and `-`.' }),
  file: file({ max: MOST_BYTES }),
})

/** As they were created. */
const order: ListOrder = {
  of: 'Ci::SecureFile',
  id: 's.id',
  columns: { id: { column: 's.id' } },
  by: 'id',
  sort: 'asc',
}

/** Files that jobs may load, and that nobody sees in the repository. */
export const secureFileRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const collection = '/projects/:id/secure_files'
  const one = `${collection}/:secure_file_id` as const

  const find = (req: FastifyRequest, id: number): Promise<SecureFileRow> =>
    secureFilesOf(db, req.project().container.id)
      .where('s.id', '=', id)
      .executeTakeFirstOrThrow(() => notFound('Secure File'))

  app.get(
    collection,
    {
      config: reads(project('read_secure_file'), { jobToken: true }),
      schema: {
        summary: 'List the secure files of a project',
        params: ById,
        querystring: Type.Object(pageParameters),
        response: { 200: Type.Array(SecureFile) },
      },
    },
    async (req, reply) => {
      const rows = await paginate(req, reply, secureFilesOf(db, req.project().container.id), order)
      return rows.map(presentSecureFile)
    },
  )

  app.get(
    one,
    {
      config: reads(project('read_secure_file'), { jobToken: true }),
      schema: { summary: 'Get a secure file', params: BySecureFile, response: { 200: SecureFile } },
    },
    async (req) => presentSecureFile(await find(req, req.params.secure_file_id)),
  )

  app.route({
    method: ['GET', 'HEAD'],
    url: `${one}/download`,
    config: reads(project('read_secure_file'), { jobToken: true }),
    schema: {
      summary: 'Download a secure file',
      params: BySecureFile,
      response: fileAnswers('application/octet-stream'),
    },
    handler: async (req, reply) => {
      const { file_id, name } = await find(req, req.params.secure_file_id)
      const stored = await services.files.find(file_id)
      if (stored === undefined) throw notFound('Secure File')
      return sendFile(req, reply, stored, {
        filename: name,
        mediaType: 'application/octet-stream',
        inline: false,
      })
    },
  })

  app.post(
    collection,
    {
      config: writes(project('admin_secure_file'), { jobToken: true }),
      schema: {
        summary: 'Create a secure file',
        description:
          'Up to 5 MB. Certificates (`.cer`) and provisioning profiles (`.mobileprovision`) are looked into.',
        params: ById,
        body: NewSecureFile,
        response: { 201: SecureFile },
      },
    },
    async (req) => {
      const { name, file: sent } = req.body
      const stored = await services.files.store(sent.data, { max: MOST_BYTES })
      const { container } = req.project()
      const metadata = await metadataOf(name, sent.data)
      const most = services.settings().project_ci_secure_files
      const id = await req.write((tx) =>
        createSecureFile(tx, container, { name, fileId: stored.id, checksum: stored.sha256, metadata }, most),
      )
      return presentSecureFile(await find(req, id))
    },
  )

  app.delete(
    one,
    {
      config: writes(project('admin_secure_file'), { jobToken: true }),
      schema: { summary: 'Delete a secure file', params: BySecureFile, response: { 204: NoContent } },
    },
    async (req) => {
      const { container } = req.project()
      await req.write((tx) => deleteSecureFile(tx, container, req.params.secure_file_id))
    },
  )
}
