import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { sendFile } from '#platform/files/send-file.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { refusedParameter, refuseLater } from '#platform/http/later.ts'
import { ById, fileAnswers, Message, nullable, text } from '#platform/http/schema.ts'
import { audienceOf } from '#tenancy/projects/audience.ts'
import { findProject } from '#tenancy/projects/list/read.ts'
import { presentProject } from '#tenancy/projects/present-projects.ts'
import { presentExport, ProjectExport } from './entity.ts'
import { requestExport } from './request-export.ts'

const later = { url: 'exports are not sent to other servers yet' } as const

/** Routes for exports. */
export const exportRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const find = (id: number) =>
    db
      .selectFrom('project_exports')
      .select(['state', 'file_id'])
      .where('project_id', '=', id)
      .executeTakeFirst()

  app.post(
    '/projects/:id/export',
    {
      config: writes(project('export_project')),
      schema: {
        summary: 'Export a project',
        description: 'A job makes the archive; `GET` says when it is there.',
        params: ById,
        body: Type.Object({
          description: Type.Optional(
            nullable(text({ max: 2_000, description: 'Replaces that of the project.' })),
          ),
          upload: Type.Optional(
            Type.Object({
              url: Type.Optional(text({ max: 2_048, ...refusedParameter(later.url) })),
              http_method: Type.Optional(text()),
            }),
          ),
        }),
        response: { 202: Message },
      },
    },
    async (req) => {
      const { description = null, upload = {} } = req.body
      refuseLater(upload, later)
      await req.write((tx) => requestExport(tx, req.project(), description))
      return { message: '202 Accepted' }
    },
  )

  app.get(
    '/projects/:id/export',
    {
      config: reads(project('export_project')),
      schema: {
        summary: 'Get how far the export of a project is',
        params: ById,
        response: { 200: ProjectExport },
      },
    },
    async (req) => {
      const { id } = req.project().container
      const row = await findProject(db, req.viewer, id)
      return presentExport(presentProject(row, audienceOf(req)), await find(id))
    },
  )

  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/export/download',
    config: reads(project('export_project')),
    schema: {
      summary: 'Download the export of a project',
      params: ById,
      response: fileAnswers('application/gzip'),
    },
    handler: async (req, reply) => {
      const { id, path } = req.project().container
      const row = await find(id)
      const file = orNotFound(row?.file_id == null ? undefined : await services.files.find(row.file_id))
      return sendFile(req, reply, file, {
        filename: `${path}_export.tar.gz`,
        mediaType: 'application/gzip',
        inline: false,
      })
    },
  })
}
