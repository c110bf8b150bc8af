import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { clientOf } from '#platform/http/client-left.ts'
import { sendHead } from '#platform/http/headers.ts'
import { ById, flag } from '#platform/http/schema.ts'
import { chosenBranch } from '../chosen-branch.ts'
import { takeSnapshot } from './take-snapshot.ts'

const Options = Type.Object({
  wiki: flag({ default: false, description: 'Whether to take the repository of the wiki instead.' }),
})

const Snapshot = Type.Unsafe<Readable>({
  type: 'string',
  format: 'binary',
  contentMediaType: 'application/x-tar',
  description: 'The files of a bare repository.',
})

/** The route for whole repositories, for administrators. */
export const snapshotRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { repositories } = app.services

  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/snapshot',
    config: reads(project('read_project_storage')),
    schema: {
      summary: 'Download the repository of a project',
      description: 'A tar archive of a bare repository with all its references, for administrators.',
      params: ById,
      querystring: Options,
      response: { 200: Snapshot },
    },
    handler: async (req, reply) => {
      const { container } = req.project()
      const kind = req.query.wiki ? 'wiki' : 'project'
      const repository = await repositories.find({ kind, project: container.id })
      const branch = repository?.row.default_branch ?? chosenBranch(container) ?? repositories.defaultBranch
      reply.type('application/x-tar')
      if (req.method === 'HEAD') return sendHead(reply)
      return takeSnapshot(repository, branch, clientOf(reply))
    },
  })
}
