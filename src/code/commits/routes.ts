import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { diffOfCommit, standardLimits } from '#code/git/diff.ts'
import { countCommits } from '#code/git/history.ts'
import { BRANCHES, branchOf, TAGS, tagOf } from '#code/git/names.ts'
import { referencesWith } from '#code/git/references.ts'
import { findCommit, requestedRepository } from '#code/repositories/requested.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { paginateFrom, paginateRows } from '#platform/http/pagination.ts'
import { ById, entity, integer, oneOf } from '#platform/http/schema.ts'
import { DiffEntity, presentDiff } from './diff-entity.ts'
import { CommitDetail, CommitEntity } from './entity.ts'
import { listCommits } from './list-commits.ts'
import { ByCommit } from './by-commit.ts'
import { CommitFilter, CommitOptions, DiffOptions, RefFilter, SequenceOptions } from './parameters.ts'
import { presentCommits, presentOneCommit } from './present.ts'
import { lastPipelineOf } from '../pipelines/last-pipeline.ts'

const config = reads(project('download_code'), { anonymous: true })
const seenByJobs = reads(project('download_code'), { anonymous: true, jobToken: true })

/** Routes that read commits. */
export const commitRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/repository/commits',
    {
      config,
      schema: {
        summary: 'List commits',
        description: 'The number of commits is not counted.',
        params: ById,
        querystring: CommitFilter,
        response: { 200: Type.Array(CommitEntity) },
      },
    },
    async (req, reply) => {
      const repository = await requestedRepository(req)
      const commits = await paginateFrom(req, reply, async (range) => ({
        rows: await listCommits(repository, req.query, range),
      }))
      return repository === undefined ? [] : presentCommits(req, repository, commits, req.query)
    },
  )

  app.get(
    '/projects/:id/repository/commits/:sha',
    {
      config: seenByJobs,
      schema: {
        summary: 'Get a commit',
        params: ByCommit,
        querystring: CommitOptions,
        response: { 200: CommitDetail },
      },
    },
    async (req) => {
      const { repository, commit } = await findCommit(await requestedRepository(req), req.params.sha)
      const { id } = req.project().container
      const wanted = { with_stats: req.query.stats, trailers: true }
      const [presented, pipeline] = await Promise.all([
        presentOneCommit(req, repository, commit, wanted),
        lastPipelineOf(req, commit.id),
      ])
      return { ...presented, status: pipeline?.status ?? null, project_id: id, last_pipeline: pipeline }
    },
  )

  app.get(
    '/projects/:id/repository/commits/:sha/diff',
    {
      config,
      schema: {
        summary: 'Get what a commit changes',
        description: 'The changes of a merge are those against its first parent.',
        params: ByCommit,
        querystring: DiffOptions,
        response: { 200: Type.Array(DiffEntity) },
      },
    },
    async (req, reply) => {
      const { repository, commit } = await findCommit(await requestedRepository(req), req.params.sha)
      const files = await paginateFrom(req, reply, async ({ skip, limit }) => {
        const limits = { ...standardLimits, skip, files: limit }
        const { files: rows, total } = await diffOfCommit(repository, commit, { limits })
        return { rows, total }
      })
      return files.map((file) => presentDiff(file, req.query.unidiff))
    },
  )

  app.get(
    '/projects/:id/repository/commits/:sha/refs',
    {
      config,
      schema: {
        summary: 'List the branches and tags that have a commit',
        params: ByCommit,
        querystring: RefFilter,
        response: {
          200: Type.Array(entity('CommitRef', { type: oneOf(['branch', 'tag']), name: Type.String() })),
        },
      },
    },
    async (req, reply) => {
      const { repository, commit } = await findCommit(await requestedRepository(req), req.params.sha)
      const { type = 'all' } = req.query
      const prefixes = [...(type === 'tag' ? [] : [BRANCHES]), ...(type === 'branch' ? [] : [TAGS])]
      const found = await paginateRows(req, reply, await referencesWith(repository, commit.id, prefixes))
      return found.map(({ name }) => {
        const branch = branchOf(name)
        return branch === undefined
          ? { type: 'tag' as const, name: tagOf(name) ?? name }
          : { type: 'branch' as const, name: branch }
      })
    },
  )

  app.get(
    '/projects/:id/repository/commits/:sha/sequence',
    {
      config,
      schema: {
        summary: 'Count the commits up to a commit',
        params: ByCommit,
        querystring: SequenceOptions,
        response: { 200: Type.Object({ count: integer() }) },
      },
    },
    async (req) => {
      const { repository, commit } = await findCommit(await requestedRepository(req), req.params.sha)
      const firstParent = req.query.first_parent
      return { count: await countCommits(repository, { from: [commit.id], firstParent }) }
    },
  )
}
