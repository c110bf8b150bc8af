import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { type ContainerSubject, group, project } from '#platform/access/route-access.ts'
import { API } from '#platform/http/routing.ts'
import { ById, fileAnswers, text } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { readsPackages } from '../../packages/package-route.ts'
import { sendServedFile } from '../../packages/send-package-file.ts'
import { placeOf } from '../../packages/served-files.ts'
import { normalizedName } from './names.ts'
import { fileByDigest, indexedFiles, packageNames } from './queries.ts'
import { filesPage, type IndexPage, indexType, namesPage } from './simple-index.ts'

const ByName = Type.Object({ ...ById.properties, package_name: text({ description: 'In any spelling.' }) })
const ByFile = Type.Object({
  ...ById.properties,
  sha256: text({ description: 'The SHA-256 of the file, in hexadecimal.' }),
  file_identifier: text({ description: 'The name of the file.' }),
})

const Index = {
  200: Type.Unsafe<FastifyReply>({
    type: 'string',
    contentMediaType: 'text/html',
    description: 'A page of links, or the same as JSON where `Accept` asks for that.',
  }),
}

const sendPage = (reply: FastifyReply, { mediaType, text: page }: IndexPage): FastifyReply =>
  reply
    .type(mediaType)
    .serializer(() => page)
    .send(page)

/** What pip reads of a project, and of all projects below a group. */
export const pypiReadRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  const add = (prefix: string, subject: ContainerSubject) => {
    const config = readsPackages(subject)
    const where = subject.kind === 'project' ? 'a project' : 'the projects in a group and its subgroups'
    const base = (req: FastifyRequest) => {
      const { id } = req.authorizedProject?.container ?? req.group().container
      return `${req.site}${API}${prefix.replace(':id', String(id))}`
    }

    app.route({
      method: ['GET', 'HEAD'],
      url: `${prefix}/simple`,
      config,
      schema: {
        summary: `List the Python packages of ${where}`,
        description: 'The index that `pip` reads: the first 10,000 names.',
        params: ById,
        response: Index,
      },
      handler: async (req, reply) => {
        const names = await packageNames(db, placeOf(req))
        return sendPage(reply, namesPage(names, base(req), indexType(req.headers.accept)))
      },
    })

    app.route({
      method: ['GET', 'HEAD'],
      url: `${prefix}/simple/:package_name`,
      config,
      schema: {
        summary: `List the files of a Python package of ${where}`,
        description: 'The index that `pip` reads: the newest 10,000 files.',
        params: ByName,
        response: Index,
      },
      handler: async (req, reply) => {
        const name = normalizedName(req.params.package_name)
        const files = await indexedFiles(db, placeOf(req), name)
        if (files.length === 0) throw notFound('Package')
        return sendPage(reply, filesPage(name, files, base(req), indexType(req.headers.accept)))
      },
    })

    app.route({
      method: ['GET', 'HEAD'],
      url: `${prefix}/files/:sha256/:file_identifier`,
      config,
      schema: {
        summary: `Download a file of a Python package of ${where}`,
        description: 'Whole or in ranges.',
        params: ByFile,
        response: fileAnswers('application/octet-stream'),
      },
      handler: async (req, reply) => {
        const { sha256, file_identifier: fileName } = req.params
        return sendServedFile(req, reply, await fileByDigest(db, placeOf(req), { sha256, fileName }))
      },
    })
  }

  add('/projects/:id/packages/pypi', project('read_package'))
  add('/groups/:id/-/packages/pypi', group('list_packages'))
}
