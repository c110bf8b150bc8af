import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { group, project } from '#platform/access/route-access.ts'
import { raw, streamed } from '#platform/http/body-kind.ts'
import { HttpError, meaningOf, writeError } from '#platform/http/errors.ts'
import { isKnown, sendHead } from '#platform/http/headers.ts'
import { ById, fileAnswers, NoContent, text } from '#platform/http/schema.ts'
import { badRequest, invalid, notFound } from '#platform/refusals.ts'
import { readsPackages, writesPackages } from '../../packages/package-route.ts'
import { projectsWith } from '../../packages/projects-with.ts'
import { sendPackageFile } from '../../packages/send-package-file.ts'
import { type Publication, readPublication } from './document.ts'
import { keepComplete, keptDocuments } from './kept-documents.ts'
import { entityTagOf, fileNameIn, type FoundPackage, metadataOf, tagsOf } from './metadata.ts'
import { assertName, assertTag } from './names.ts'
import { publishVersion } from './publish-version.ts'
import { splitDocument } from './split-document.ts'
import { storePackageFile } from '../../packages/store-package-file.ts'
import { deprecate, removeTag, setTag } from './tags.ts'

const name = text({ max: 1_024, description: 'With its scope: `@scope/name`.' })
const ByName = Type.Object({ ...ById.properties, package_name: name })
const ByTag = Type.Object({ ...ByName.properties, tag: text() })

/** Bytes of the body that sets a tag: a version in quotes. */
const MOST_TAG_BODY = 1_024

const Metadata = {
  200: Type.Unsafe<Readable | undefined>({
    type: 'string',
    format: 'binary',
    contentMediaType: 'application/json',
  }),
  304: Type.Unsafe<undefined>({ type: 'null', description: 'The caller has it: see `If-None-Match`.' }),
}
const Tags = Type.Record(Type.String(), Type.String())

/** What `npm` and its like read and publish. */
export const npmRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const kept = keptDocuments()
  const ofProject = '/projects/:id/packages/npm'
  const ofGroup = '/groups/:id/-/packages/npm'
  app.setErrorHandler((thrown, request, reply) => {
    const answer = meaningOf(thrown, request)
    writeError(answer === undefined ? thrown : inNpmWords(answer), request, reply)
  })

  const inProject = (req: FastifyRequest, packageName: string): FoundPackage => ({
    name: packageName,
    projectIds: [req.project().container.id],
  })
  const inGroup = async (req: FastifyRequest, packageName: string): Promise<FoundPackage> => ({
    name: packageName,
    projectIds: await projectsWith(db, req.viewer, {
      type: 'npm',
      name: packageName,
      below: req.group().container.namespace_id,
    }),
  })

  async function sendMetadata(req: FastifyRequest, reply: FastifyReply, found: FoundPackage) {
    const etag = await entityTagOf(db, found)
    if (etag === undefined) throw notFound('Package')
    reply.header('etag', etag).header('vary', 'accept')
    if (isKnown(req, etag)) return sendHead(reply.code(304))
    const wanted = req.headers.accept ?? ''
    reply.type(wanted.includes(INSTALL) ? INSTALL : 'application/json')
    if (req.method === 'HEAD') return sendHead(reply)
    const key = JSON.stringify([etag, found.name, req.site])
    const known = kept.get(key)
    return Readable.from(
      known === undefined ? keepComplete(kept, key, metadataOf(db, found, req.site)) : [known],
    )
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: `${ofProject}/:package_name`,
    config: readsPackages(project('read_package')),
    schema: { summary: 'Get the versions of an npm package', params: ByName, response: Metadata },
    handler: (req, reply) => sendMetadata(req, reply, inProject(req, req.params.package_name)),
  })

  app.route({
    method: ['GET', 'HEAD'],
    url: `${ofGroup}/:package_name`,
    config: readsPackages(group('list_packages')),
    schema: { summary: 'Get the versions of an npm package of a group', params: ByName, response: Metadata },
    handler: async (req, reply) => sendMetadata(req, reply, await inGroup(req, req.params.package_name)),
  })

  app.route({
    method: ['GET', 'HEAD'],
    url: `${ofProject}/:package_name/-/:file_name`,
    config: readsPackages(project('read_package')),
    schema: {
      summary: 'Download an npm package',
      params: Type.Object({ ...ByName.properties, file_name: text({ max: 1_024 }) }),
      response: fileAnswers('application/octet-stream'),
    },
    handler: (req, reply) => {
      const { package_name, file_name } = req.params
      return sendPackageFile(req, reply, {
        type: 'npm',
        name: package_name,
        fileName: fileNameIn(package_name, file_name),
      })
    },
  })

  app.put(
    `${ofProject}/:package_name`,
    {
      config: { ...writesPackages(project('create_package')), ...streamed },
      schema: {
        summary: 'Publish an npm package, or deprecate versions of it',
        params: ByName,
        refuses: [507],
        response: { 200: Type.Object({}) },
      },
    },
    async (req, reply) => {
      const { package_name } = req.params
      assertName(package_name)
      const max = services.settings().npm_max_file_size
      const { document, kept: stored } = await splitDocument(
        req.bodyStream(),
        app.bodyMemory.for(reply.raw),
        (attached, bytes) => {
          if (!attached.endsWith('.tgz')) throw badRequest('attachments other than the package are not taken')
          return storePackageFile(req, bytes, max, { sha512: true })
        },
      )
      const publication = readPublication(document, package_name)
      if (stored === undefined) await deprecateVersions(req, publication)
      else await publishVersion(req, publication, stored)
      return {}
    },
  )

  for (const [base, subject, find] of [
    [ofProject, project('read_package'), inProject],
    [ofGroup, group('list_packages'), inGroup],
  ] as const)
    app.get(
      `${base}/-/package/:package_name/dist-tags`,
      {
        config: readsPackages(subject),
        schema: { summary: 'List the tags of an npm package', params: ByName, response: { 200: Tags } },
      },
      async (req) => {
        const found = await find(req, req.params.package_name)
        if ((await entityTagOf(db, found)) === undefined) throw notFound('Package')
        return Object.fromEntries(await tagsOf(db, found))
      },
    )

  app.put(
    `${ofProject}/-/package/:package_name/dist-tags/:tag`,
    {
      config: { ...writesPackages(project('create_package')), ...raw(MOST_TAG_BODY) },
      schema: {
        summary: 'Set a tag of an npm package',
        description: 'The body is the version as a text of JSON.',
        params: ByTag,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { package_name, tag } = req.params
      assertTag(tag)
      const version = versionIn(await req.bodyBytes().all())
      const { container, accessContext: role } = req.project()
      await req.write((tx) => setTag(tx, container, { name: package_name, tag, version, role }))
    },
  )

  app.delete(
    `${ofProject}/-/package/:package_name/dist-tags/:tag`,
    {
      config: writesPackages(project('create_package')),
      schema: { summary: 'Delete a tag of an npm package', params: ByTag, response: { 204: NoContent } },
    },
    async (req) => {
      const { package_name, tag } = req.params
      if (tag === 'latest') throw invalid({ tag: ['latest cannot be deleted'] })
      const { container, accessContext: role } = req.project()
      await req.write((tx) => removeTag(tx, container, { name: package_name, tag, role }))
    },
  )
}

/** The media type of what clients need to install. */
const INSTALL = 'application/vnd.npm.install-v1+json'

/** Clients show `error`. */
function inNpmWords({ status, body, headers }: HttpError): HttpError {
  if (typeof body === 'string' || body.error !== undefined) return new HttpError(status, body, headers)
  const { message } = body
  return new HttpError(
    status,
    { ...body, error: typeof message === 'string' ? message : JSON.stringify(message) },
    headers,
  )
}

function versionIn(bytes: Buffer): string {
  const said = bytes.toString('utf8').trim()
  return /^"[^"\\]+"$/.test(said) ? said.slice(1, -1) : said
}

/** Characters of the reason why a version is deprecated. It is in every answer about the package. */
const MOST_REASON = 1_024

async function deprecateVersions(req: FastifyRequest, { name, versions }: Publication): Promise<void> {
  const messages = new Map(
    Object.values(versions).map(({ version, deprecated = '' }) => [version, reasonIn(deprecated)]),
  )
  const { container, accessContext: role } = req.project()
  await req.write((tx) => deprecate(tx, container, { name, messages, role }))
}

/** @throws 400 for a reason that is too long or no text */
function reasonIn(deprecated: string | boolean): string {
  if (typeof deprecated === 'boolean') return deprecated ? 'This version is deprecated.' : ''
  if (deprecated.length > MOST_REASON)
    throw invalid({ deprecated: [`is too long (maximum is ${MOST_REASON} characters)`] })
  if (deprecated.includes('\0') || !deprecated.isWellFormed()) throw invalid({ deprecated: ['is no text'] })
  return deprecated
}
