import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RawBuilder } from 'kysely'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { authorizeProject, Moved } from '#platform/access/authorize.ts'
import { anyone, type ContainerSubject, group, project } from '#platform/access/route-access.ts'
import { sendHead } from '#platform/http/headers.ts'
import { ById, fileAnswers } from '#platform/http/schema.ts'
import { NotFound, notFound, unauthorized } from '#platform/refusals.ts'
import { readsPackages } from '../../packages/package-route.ts'
import { sendServedFile } from '../../packages/send-package-file.ts'
import { inProject, placeOf } from '../../packages/served-files.ts'
import { byPath } from './parameters.ts'
import { type MavenFile, mavenFileOf } from './paths.ts'
import { newestFile } from './queries.ts'

interface Named {
  readonly path: string
  readonly file_name: string
}

const answers = fileAnswers('application/octet-stream')
const description = 'Whole or in ranges; or one of its digests (`.md5`, `.sha1`, `.sha256`, `.sha512`).'

/** What Maven and other programs with its layout read: of a project, a group, and of the project that a package is named after. */
export const mavenReadRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  const send = async (
    req: FastifyRequest,
    reply: FastifyReply,
    place: RawBuilder<boolean>,
    named: MavenFile,
  ): Promise<Readable | undefined> => {
    const found = await newestFile(db, place, named)
    if (named.checksum === undefined) return sendServedFile(req, reply, found)
    const digest = found?.[named.checksum]?.toString('hex')
    if (digest === undefined) throw notFound()
    reply.type('text/plain').header('content-length', digest.length)
    return req.method === 'HEAD' ? sendHead(reply) : Readable.from([digest], { objectMode: false })
  }

  const add = (prefix: string, subject: ContainerSubject, where: string) =>
    app.route({
      method: ['GET', 'HEAD'],
      url: `${prefix}/:path/:file_name`,
      config: readsPackages(subject),
      schema: {
        summary: `Download a file of a Maven package of ${where}`,
        description,
        params: Type.Object({ ...ById.properties, ...byPath }),
        response: answers,
      },
      handler: (req, reply) => send(req, reply, placeOf(req), fileIn(req.params)),
    })
  add('/projects/:id/packages/maven', project('read_package'), 'a project')
  add('/groups/:id/-/packages/maven', group('list_packages'), 'the projects in a group and its subgroups')

  app.route({
    method: ['GET', 'HEAD'],
    url: '/packages/maven/:path/:file_name',
    config: readsPackages(anyone),
    schema: {
      summary: 'Download a file of a Maven package',
      description: `Of the project whose path is the name of the package. ${description}`,
      params: Type.Object(byPath),
      response: answers,
    },
    handler: async (req, reply) => {
      try {
        const named = fileIn(req.params)
        const { container } = await authorizeProject(db, req.viewer, named.name, 'read_package')
        return await send(req, reply, inProject(container.id), named)
      } catch (error) {
        if (!(error instanceof NotFound || error instanceof Moved)) throw error
        const isStranger = req.identity === undefined && req.deployToken === undefined
        throw isStranger ? unauthorized() : notFound()
      }
    },
  })
}

function fileIn({ path, file_name }: Named): MavenFile {
  const named = mavenFileOf(path, file_name)
  if (named === undefined) throw notFound()
  return named
}
