import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { clientOf } from '#platform/http/client-left.ts'
import { archive } from '#code/git/archive.ts'
import { replacerOf } from '#code/lfs/replacer.ts'
import { cleanPath, findEntry } from '#code/git/tree.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { fileNameParameters } from '#platform/files/send-file.ts'
import { badRequest, notFound } from '#platform/refusals.ts'
import { sendHead } from '#platform/http/headers.ts'
import { ById } from '#platform/http/schema.ts'
import { requestedCommit, requestedRepository } from '../requested.ts'
import { hasBzip2 } from './bzip2.ts'
import { ArchiveOptions, ByFormat, type FormatName, formats, isFormat } from './parameters.ts'

const config = reads(project('download_code'), { anonymous: true })

const ArchiveBytes = Type.Unsafe<Readable>({
  type: 'string',
  format: 'binary',
  contentMediaType: 'application/octet-stream',
  description: 'The archive: `application/zip` for zip files.',
})

/** Routes for the files of a commit in one archive. */
export const archiveRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/repository/archive',
    config,
    schema: {
      summary: 'Get an archive of a repository',
      description: 'A gzipped tar archive. The same commit gives the same bytes.',
      params: ById,
      querystring: ArchiveOptions,
      refuses: [422],
      response: { 200: ArchiveBytes },
    },
    handler: (req, reply) => sendArchive(req, reply, 'tar.gz', req.query),
  })

  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/repository/archive.:format',
    config,
    schema: {
      summary: 'Get an archive of a repository in a format',
      params: ByFormat,
      querystring: ArchiveOptions,
      refuses: [422],
      response: { 200: ArchiveBytes },
    },
    handler: (req, reply) => {
      const { format } = req.params
      if (!isFormat(format)) throw notFound()
      return sendArchive(req, reply, format, req.query)
    },
  })
}

async function sendArchive(
  req: FastifyRequest,
  reply: FastifyReply,
  name: FormatName,
  { sha, path: askedPath = '', exclude_paths = [], include_lfs_blobs }: Static<typeof ArchiveOptions>,
): Promise<Readable | undefined> {
  const format = formats[name]
  const repository = await requestedRepository(req)
  const commit = await requestedCommit(repository, sha)
  if (repository === undefined || commit === undefined) throw notFound('File')
  const path = cleanPath(askedPath)
  if (path !== '' && (path === undefined || (await findEntry(repository, commit, path)) === undefined)) {
    throw notFound('File')
  }
  if (format === 'tar.bz2' && !(await hasBzip2())) {
    throw badRequest('this server has no bzip2: ask for another format')
  }
  const ref = sha === undefined || sha === '' ? (repository.row.default_branch ?? 'HEAD') : sha
  const title = titleOf(req.project().container.path, ref, commit, path)
  reply.type(format === 'zip' ? 'application/zip' : 'application/octet-stream')
  reply.header('content-disposition', `attachment; ${fileNameParameters(`${title}.${name}`)}`)
  if (req.method === 'HEAD') return sendHead(reply)
  const without = exclude_paths.flatMap((one) => cleanPath(one) || [])
  const signal = clientOf(reply)
  return archive(repository, commit, {
    format,
    prefix: `${title}/`,
    path,
    without,
    change: include_lfs_blobs ? await replacerOf(req, repository, commit, signal) : undefined,
    signal,
  })
}

/** The most characters of each part of a name. */
const LONGEST_PART = 100

/** The name of the archive and of the folder in it: project, reference, commit and path. */
function titleOf(project: string, ref: string, commit: string, path: string): string {
  const parts = [project, ref, ...(ref === commit ? [] : [commit]), ...(path === '' ? [] : [path])]
  // oxlint-disable-next-line no-control-regex
  const plain = parts.map((part) => part.slice(0, LONGEST_PART).replaceAll(/[/\\:\0-\x1f]/g, '-'))
  return plain.join('-').toWellFormed()
}
