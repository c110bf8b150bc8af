import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { blobContents } from '#code/git/blob-contents.ts'
import { TAGS } from '#code/git/names.ts'
import { zipOfEntries } from '#code/git/zip-of-tar.ts'
import { project } from '#platform/access/route-access.ts'
import { clientOf } from '#platform/http/client-left.ts'
import { sendHead } from '#platform/http/headers.ts'
import { ById, text } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { compareVersions } from '../semantic-versions.ts'
import { readsPackages } from '../../packages/package-route.ts'
import { type FoundModule, findModule, findVersion, type FoundVersion, goVersionIn } from './find-version.ts'
import { moduleFiles } from './module-files.ts'
import { isVersionOf, tagOf } from './module-path.ts'

const ByModule = Type.Object({
  ...ById.properties,
  module_name: text({
    max: 1_024,
    description: 'A host, the path of the project, and perhaps a folder in it.',
  }),
})
const ByVersion = Type.Object({
  ...ByModule.properties,
  module_version: text({ description: 'With `.info`, `.mod` or `.zip`.' }),
})

const Info = Type.Object({ Version: Type.String(), Time: Type.String() })
const bytes = (contentMediaType: string) =>
  Type.Unsafe<Readable | string | undefined>({ type: 'string', format: 'binary', contentMediaType })

/** Tags of a repository that are looked at. */
const MOST_TAGS = 10_000

/** The protocol of module proxies (`go help goproxy`): what a project has tagged are the versions of its modules. */
export const goRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const base = '/projects/:id/packages/go/:module_name'
  const config = readsPackages(project('read_package'))

  app.get(
    `${base}/@v/list`,
    {
      config,
      exposeHeadRoute: false,
      schema: {
        summary: 'List the versions of a Go module',
        params: ByModule,
        response: { 200: bytes('text/plain') },
      },
    },
    async (req, reply) => {
      const module = await findModule(req, req.params.module_name)
      reply.type('text/plain; charset=utf-8')
      return (await versionsOf(module)).map((version) => `${version}\n`).join('')
    },
  )

  app.get(
    `${base}/@latest`,
    {
      config,
      schema: { summary: 'Get the latest version of a Go module', params: ByModule, response: { 200: Info } },
    },
    async (req) => {
      const module = await findModule(req, req.params.module_name)
      const latest = latestOf(await versionsOf(module))
      if (latest === undefined) throw notFound('Version')
      return infoOf(await findVersion(module, escapedVersion(latest)))
    },
  )

  app.route({
    method: ['GET', 'HEAD'],
    url: `${base}/@v/:module_version`,
    config,
    schema: {
      summary: 'Download a version of a Go module',
      description: 'What is known of it (`.info`), its `go.mod` (`.mod`), or its files (`.zip`).',
      params: ByVersion,
      refuses: [422],
      response: { 200: bytes('application/zip') },
    },
    handler: async (req, reply) => {
      const { module_name, module_version } = req.params
      const [, version, form] = /^(.+)\.(info|mod|zip)$/.exec(module_version) ?? []
      if (version === undefined) throw notFound('Version')
      const found = await findVersion(await findModule(req, module_name), version)
      if (form === 'info') return reply.type('application/json').send(JSON.stringify(infoOf(found)))
      if (form === 'mod') return reply.type('text/plain; charset=utf-8').send(found.goMod)
      reply.type('application/zip')
      return req.method === 'HEAD' ? sendHead(reply) : zipOf(found, reply)
    },
  })
}

/** All that tags say, the oldest first. */
async function versionsOf(module: FoundModule): Promise<string[]> {
  const { repository } = module
  const prefix = TAGS + tagOf(module, '')
  const args = [
    'for-each-ref',
    `--count=${MOST_TAGS}`,
    '--sort=-creatordate',
    '--format=%(refname)',
    `${prefix}v*`,
  ]
  const names = (await repository.git.text(repository, args)).split('\n')
  return names
    .map((name) => name.slice(prefix.length))
    .filter((version) => isVersionOf(module, version))
    .toSorted((one, other) => compareVersions(one.slice(1), other.slice(1)))
}

/** The latest release; where there is none, the latest version before one. */
const latestOf = (versions: readonly string[]): string | undefined =>
  versions.findLast((version) => !version.includes('-')) ?? versions.at(-1)

const escapedVersion = (version: string): string =>
  version.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)

const infoOf = ({ version, commit }: FoundVersion) => ({
  Version: version,
  Time: `${new Date(commit.committer.time * 1000).toISOString().slice(0, 19)}Z`,
})

async function zipOf(found: FoundVersion, reply: FastifyReply): Promise<Readable> {
  const { module, version, commit, folder, goMod } = found
  const { repository, path } = module
  const files = await moduleFiles(repository, commit.id, folder, goVersionIn(goMod))
  const contents = blobContents(repository, files, clientOf(reply))
  async function* entries() {
    for await (const { blob, content } of contents)
      yield {
        name: Buffer.from(`${path}@${version}/${blob.path}`).toString('latin1'),
        mode: 0o100644,
        time: commit.committer.time,
        size: blob.size,
        content,
      }
  }
  return zipOfEntries(entries())
}
