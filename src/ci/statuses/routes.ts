import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { BRANCHES, branchOf } from '#code/git/names.ts'
import { isAncestor } from '#code/git/history.ts'
import { referencesWith } from '#code/git/references.ts'
import { findCommit, requestedCommit, requestedRepository } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { invalid, notFound } from '#platform/refusals.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ByCommit } from '#code/commits/by-commit.ts'
import { siteOf } from '../pipelines/site-of.ts'
import { CommitStatus, presentCommitStatus } from './entity.ts'
import { ByStatusCommit, CommitStatusFilter, NewCommitStatus } from './parameters.ts'
import { commitStatusOrder, filterStatuses, statusesOf } from './queries.ts'
import { setCommitStatus } from './set-commit-status.ts'

/** Routes for what an external CI says of commits. */
export const commitStatusRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/repository/commits/:sha/statuses',
    {
      config: reads(project('download_code'), { anonymous: true }),
      schema: {
        summary: 'List the statuses of a commit',
        description: 'What external programs say of it, and the jobs of its pipelines.',
        params: ByCommit,
        querystring: CommitStatusFilter,
        response: { 200: Type.Array(CommitStatus) },
      },
    },
    async (req, reply) => {
      const { commit } = await findCommit(await requestedRepository(req), req.params.sha)
      const statuses = statusesOf(db, req.project().container.id, commit.id)
      const rows = await paginate(req, reply, filterStatuses(statuses, req.query), commitStatusOrder)
      return rows.map((row) => presentCommitStatus(row, siteOf(req)))
    },
  )

  app.post(
    '/projects/:id/statuses/:sha',
    {
      config: writes(project('set_commit_status')),
      schema: {
        summary: 'Set the status of a commit',
        description: 'A status that has not finished is changed. Otherwise a new one takes its place.',
        params: ByStatusCommit,
        body: NewCommitStatus,
        response: { 201: CommitStatus },
      },
    },
    async (req) => {
      const { repository, commit } = await findCommit(await requestedRepository(req), req.params.sha)
      const { state, ref, name, context, target_url, description, coverage, pipeline_id } = req.body
      assertWebAddress(target_url)
      const status = {
        state,
        sha: commit.id,
        ref: isGiven(ref) ? (branchOf(ref) ?? ref) : await branchWith(repository, commit.id),
        name: [name, context].find(isGiven) ?? 'default',
        ...(target_url !== undefined && { target_url }),
        ...(description !== undefined && { description }),
        ...(isGiven(coverage) && { coverage: Number(coverage) }),
        ...(pipeline_id !== undefined && { pipelineId: pipeline_id }),
      }
      const row = await req.write((tx) => setCommitStatus(tx, req.project().container, status))
      return presentCommitStatus(row, siteOf(req))
    },
  )
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text.trim() !== ''

/** People follow the address from a page. @throws 400 */
function assertWebAddress(url: string | null | undefined): void {
  if (url === null || url === undefined || url === '') return
  const isWeb = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  if (!isWeb) throw invalid({ target_url: ['is blocked: Only allowed schemes are http, https'] })
}

/** The default branch if it has the commit, else the first one that has it. @throws 404 when none has */
async function branchWith(repository: StoredRepository, commit: string): Promise<string> {
  const { default_branch } = repository.row
  const tip = await requestedCommit(repository, undefined)
  if (default_branch !== null && tip !== undefined && (await isAncestor(repository, commit, tip))) {
    return default_branch
  }
  const [first] = await referencesWith(repository, commit, [BRANCHES])
  if (first === undefined) throw notFound('References for commit')
  return branchOf(first.name) ?? first.name
}
