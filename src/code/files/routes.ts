import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { clientOf } from '#platform/http/client-left.ts'
import { readCommits } from '#code/git/objects.ts'
import { presentCommits } from '#code/commits/present.ts'
import { blame } from '#code/git/blame.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import { blobAnswers, isHuge, sendBase64, sendBlob, sha256Of } from '#code/repositories/send-blob.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { sendFile } from '#platform/files/send-file.ts'
import { objectBehind } from '#code/lfs/object-behind.ts'
import { HttpError } from '#platform/http/errors.ts'
import { invalidParameters } from '#platform/refusals.ts'
import { sendHead } from '#platform/http/headers.ts'
import { paginateRows } from '#platform/http/pagination.ts'
import { BlameRangeEntity, factHeaders, type FileFacts, presentFacts, RepositoryFile } from './entity.ts'
import { findFile, type FileInCommit, lastCommitOf } from './find-file.ts'
import { BlameOptions, ByFile, FileAt, RawOptions } from './parameters.ts'

const config = reads(project('download_code'), { anonymous: true })
const seenByJobs = reads(project('download_code'), { anonymous: true, jobToken: true })

/** Routes that read files. */
export const fileRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/repository/files/:file_path',
    config,
    schema: {
      summary: 'Get a file',
      description: '`HEAD` answers with headers that have everything but the content.',
      params: ByFile,
      querystring: FileAt,
      response: { 200: RepositoryFile },
    },
    handler: async (req, reply) => {
      const { ref } = req.query
      const file = await findFile(await requestedRepository(req), ref, req.params.file_path)
      const facts = await factsOf(req, reply, file, ref)
      if (req.method === 'HEAD') return sendHead(reply)
      return sendBase64(req, reply, file.repository, file.blob, facts)
    },
  })

  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/repository/files/:file_path/raw',
    config: seenByJobs,
    schema: {
      summary: 'Get the bytes of a file',
      params: ByFile,
      querystring: RawOptions,
      response: blobAnswers,
    },
    handler: async (req, reply) => {
      const { ref, lfs } = req.query
      const file = await findFile(await requestedRepository(req), ref, req.params.file_path)
      await factsOf(req, reply, file, ref ?? 'HEAD')
      const filename = file.entry.name
      const object = lfs
        ? await objectBehind(req.server.db, req.project().container.id, file.repository, file.blob)
        : undefined
      if (object !== undefined) {
        const mediaType = 'application/octet-stream'
        return sendFile(req, reply, object, { filename, mediaType, inline: false })
      }
      return sendBlob(req, reply, file.repository, { ...file.blob, filename })
    },
  })

  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/repository/files/:file_path/blame',
    config,
    schema: {
      summary: 'Get which commit each line of a file comes from',
      params: ByFile,
      querystring: BlameOptions,
      response: { 200: Type.Array(BlameRangeEntity) },
    },
    handler: async (req, reply) => {
      const { ref, range } = req.query
      if (range !== undefined && range.end < range.start) {
        throw invalidParameters([{ name: 'range[end]', text: 'is before range[start]', missing: false }])
      }
      const file = await findFile(await requestedRepository(req), ref, req.params.file_path)
      assertCanBeBlamed(file.blob)
      await factsOf(req, reply, file, ref)
      if (req.method === 'HEAD') return sendHead(reply)
      const { repository, commit, entry } = file
      const lines = range && { first: range.start, last: range.end }
      const all = await blame(repository, commit, entry.path, lines && { range: lines })
      const ranges = await pageOf(req, reply, all)
      const ids = ranges.map((one) => one.commit)
      const commits = await presentCommits(req, repository, await readCommits(repository, ids))
      return commits.map((presented, index) => ({
        commit: presented,
        lines: [...(ranges[index]?.lines ?? [])],
      }))
    },
  })
}

/** Bytes of a file whose lines git can compare: it holds each version of it in memory. */
const MOST_BLAMED = 20 * 1024 * 1024

function assertCanBeBlamed({ size }: FileInCommit['blob']): void {
  if (size <= MOST_BLAMED) return
  throw new HttpError(413, {
    message: `413 Request Entity Too Large - the file has ${size} bytes, too many to compare its lines`,
  })
}

/** What is known of a file besides its content; the headers of the answer have it, too. A huge file has no checksum. */
async function factsOf(
  req: FastifyRequest,
  reply: FastifyReply,
  file: FileInCommit,
  ref: string,
): Promise<FileFacts> {
  const [last_commit_id, content_sha256] = await Promise.all([
    lastCommitOf(file),
    isHuge(file.blob) ? '' : sha256Of(file.repository, file.blob, clientOf(reply)),
  ])
  const facts = presentFacts(file, { ref, last_commit_id, content_sha256 })
  reply.headers(factHeaders(facts))
  return facts
}

type BlameRequest = FastifyRequest<{ Querystring: Static<typeof BlameOptions> }>

/** Everything unless a page is asked for: clients do not expect pages here, and would miss the rest. */
async function pageOf<Row>(
  req: BlameRequest,
  reply: FastifyReply,
  all: readonly Row[],
): Promise<readonly Row[]> {
  const { raw, protocol, host, server, viewer } = req
  const { page, per_page, ...rest } = req.query
  if (page === undefined && per_page === undefined) return all
  const query = { ...rest, page: page ?? 1, per_page: per_page ?? 20 }
  return paginateRows({ raw, protocol, host, server, viewer, query }, reply, all)
}
