import type { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { DiffEntity, presentDiff } from '#code/commits/diff-entity.ts'
import { CommitEntity } from '#code/commits/entity.ts'
import { presentCommits } from '#code/commits/present.ts'
import { type DiffLimits, standardLimits } from '#code/git/diff.ts'
import { streamDiff } from '#code/git/stream-diff.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { clientOf } from '#platform/http/client-left.ts'
import { sendHead } from '#platform/http/headers.ts'
import { paginateFrom } from '#platform/http/pagination.ts'
import { ByMergeRequest } from '../parameters.ts'
import { findMergeRequest, type SingleMergeRequestRow } from '../queries.ts'
import { presentOne } from '../present-one.ts'
import { commitsOf, comparedIn, comparedWith, diffOf } from './changes.ts'
import { MergeRequestChanged } from './entity.ts'
import { ChangesOptions, Page, PageOfDiffs } from './parameters.ts'

const config = reads(project('read_merge_request'), { anonymous: true })

/** With `access_raw_diffs`. */
const rawLimits: DiffLimits = { ...standardLimits, patchBytes: 5_242_880, allBytes: 12_582_912 }

/** Routes that show what a merge request changes. */
export const diffRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const path = '/projects/:id/merge_requests/:merge_request_iid'

  app.get(
    `${path}/commits`,
    {
      config,
      schema: {
        summary: 'List the commits of a merge request',
        description: 'The newest first, up to 10,000.',
        params: ByMergeRequest,
        querystring: Page,
        response: { 200: Type.Array(CommitEntity) },
      },
    },
    async (req, reply) => {
      const found = await findOne(req, req.params.merge_request_iid)
      const repository = await comparedIn(req)
      const commits = await paginateFrom(req, reply, (range) => commitsOf(repository, found, range))
      return presentCommits(req, repository, commits)
    },
  )

  app.get(
    `${path}/diffs`,
    {
      config,
      schema: {
        summary: 'List the files that a merge request changes',
        params: ByMergeRequest,
        querystring: PageOfDiffs,
        response: { 200: Type.Array(DiffEntity) },
      },
    },
    async (req, reply) => {
      const found = await findOne(req, req.params.merge_request_iid)
      const repository = await comparedIn(req)
      const files = await paginateFrom(req, reply, async ({ skip, limit }) => {
        const { files: rows, total } = await diffOf(repository, found, {
          ...standardLimits,
          skip,
          files: limit,
        })
        return { rows, total }
      })
      return files.map((file) => presentDiff(file, req.query.unidiff))
    },
  )

  app.get(
    `${path}/changes`,
    {
      config,
      schema: {
        summary: 'Get a merge request with everything that it changes',
        // GitLab 15.7.
        deprecated: { since: '2022-12-22', successor: '`…/diffs`, which has pages' },
        params: ByMergeRequest,
        querystring: ChangesOptions,
        response: { 200: MergeRequestChanged },
      },
    },
    async (req) => {
      const { unidiff, access_raw_diffs } = req.query
      const found = await findOne(req, req.params.merge_request_iid)
      const limits = access_raw_diffs ? rawLimits : standardLimits
      const { files, overflow } = await diffOf(await comparedIn(req), found, limits)
      const changes = files.map((file) => presentDiff(file, unidiff))
      return { ...(await presentOne(req, found)), changes, overflow }
    },
  )

  app.route({
    method: ['GET', 'HEAD'],
    url: `${path}/raw_diffs`,
    config,
    schema: {
      summary: 'Get what a merge request changes as git writes it',
      description: 'Of any length, as text.',
      params: ByMergeRequest,
      response: {
        200: Type.Unsafe<Readable>({ type: 'string', contentMediaType: 'text/plain' }),
      },
    },
    handler: async (req, reply) => sendRaw(req, reply, await findOne(req, req.params.merge_request_iid)),
  })
}

/** @throws 404 */
export const findOne = (req: FastifyRequest, iid: number): Promise<SingleMergeRequestRow> =>
  findMergeRequest(req.server.db, req.viewer, req.project(), iid)

async function sendRaw(
  req: FastifyRequest,
  reply: FastifyReply,
  found: SingleMergeRequestRow,
): Promise<Readable | undefined> {
  const repository = await comparedIn(req)
  reply.type('text/plain; charset=utf-8')
  if (req.method === 'HEAD') return sendHead(reply)
  const { all } = await streamDiff(repository, comparedWith(found), found.head_sha, clientOf(reply))
  return all
}
