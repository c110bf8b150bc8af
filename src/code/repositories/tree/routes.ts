import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type ObjectInfo, objectInfo } from '#code/git/objects.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { notFound } from '#platform/refusals.ts'
import { ById, entity, integer } from '#platform/http/schema.ts'
import { requestedRepository } from '../requested.ts'
import type { StoredRepository } from '../rows.ts'
import { base64Content, blobAnswers, sendBase64, sendBlob } from '../send-blob.ts'
import { TreeEntryEntity } from './entity.ts'
import { listTree } from './list-tree.ts'
import { ByBlob, TreeFilter } from './parameters.ts'

const Blob = entity('Blob', { size: integer(), sha: Type.String(), ...base64Content })

const config = reads(project('download_code'), { anonymous: true })

/** Routes for folders, and for files by their ids. */
export const treeRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/repository/tree',
    {
      config,
      schema: {
        summary: 'List the files and folders of a repository',
        description:
          'Folders come first, then files, then submodules; with `recursive`, each folder is followed by what is in it.',
        params: ById,
        querystring: TreeFilter,
        response: { 200: Type.Array(TreeEntryEntity) },
      },
    },
    async (req, reply) => [...(await listTree(req, reply))],
  )

  app.get(
    '/projects/:id/repository/blobs/:sha',
    { config, schema: { summary: 'Get a blob', params: ByBlob, response: { 200: Blob } } },
    async (req, reply) => {
      const { repository, blob } = await findBlob(req, req.params.sha)
      return sendBase64(req, reply, repository, blob, { size: blob.size, sha: blob.id })
    },
  )

  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/repository/blobs/:sha/raw',
    config,
    schema: { summary: 'Get the bytes of a blob', params: ByBlob, response: blobAnswers },
    handler: async (req, reply) => {
      const { repository, blob } = await findBlob(req, req.params.sha)
      return sendBlob(req, reply, repository, { ...blob, filename: blob.id })
    },
  })
}

/** Finds a blob by its id, or by the beginning of one. @throws 404 */
async function findBlob(
  req: FastifyRequest,
  sha: string,
): Promise<{ readonly repository: StoredRepository; readonly blob: ObjectInfo }> {
  const repository = await requestedRepository(req)
  const isId = /^[0-9a-f]{4,40}$/i.test(sha)
  const blob = repository && isId ? await objectInfo(repository, sha.toLowerCase()) : undefined
  if (repository === undefined || blob?.type !== 'blob') throw notFound('Blob')
  return { repository, blob }
}
