import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { presentDiff } from '#code/commits/diff-entity.ts'
import { CommitEntity } from '#code/commits/entity.ts'
import { presentCommits, projectUrlOf } from '#code/commits/present.ts'
import { mergeBase } from '#code/git/history.ts'
import { readCommits } from '#code/git/objects.ts'
import { authorizeProject } from '#platform/access/authorize.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { badRequest, notFound } from '#platform/refusals.ts'
import { ById } from '#platform/http/schema.ts'
import { findCommit, requestedCommit, requestedRepository } from '../requested.ts'
import type { StoredRepository } from '../rows.ts'
import { compare } from './compare.ts'
import { CompareEntity } from './entity.ts'
import { Comparison, Refs } from './parameters.ts'

const config = reads(project('download_code'), { anonymous: true })

/** Routes that compare commits. */
export const compareRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/repository/compare',
    {
      config,
      schema: {
        summary: 'Compare two branches, tags or commits',
        description: 'Lists what `to` has and `from` has not.',
        params: ById,
        querystring: Comparison,
        response: { 200: CompareEntity },
      },
    },
    async (req) => {
      const { from, to, from_project_id, straight, unidiff } = req.query
      const target = await findCommit(await requestedRepository(req), to)
      const origin = await originOf(req, target.repository, from_project_id)
      const source = await findCommit(origin, from)
      const isOwn = source.repository.id === target.repository.id
      // Objects of another project are read as if they were here.
      const repository = isOwn
        ? source.repository
        : { ...target.repository, borrows: source.repository.folder }
      const compared = await compare(repository, source.commit.id, target.commit.id, straight)
      const commits = await presentCommits(req, target.repository, compared.commits)
      return {
        commit: commits.at(-1) ?? null,
        commits,
        diffs: compared.diff.files.map((file) => presentDiff(file, unidiff)),
        compare_timeout: compared.overflow,
        compare_same_ref: from === to && isOwn,
        web_url: `${projectUrlOf(req)}/-/compare/${from}...${to}`,
      }
    },
  )

  app.get(
    '/projects/:id/repository/merge_base',
    {
      config,
      schema: {
        summary: 'Get the common ancestor of branches, tags or commits',
        params: ById,
        querystring: Refs,
        response: { 200: CommitEntity },
      },
    },
    async (req) => {
      const { refs } = req.query
      if (refs.length < 2) throw badRequest('Provide at least 2 refs')
      const repository = await requestedRepository(req)
      const ids = await Promise.all(refs.map((ref) => resolved(repository, ref)))
      const base = repository && (await mergeBase(repository, ids))
      if (repository === undefined || base === undefined) throw notFound('Merge Base')
      const [commit] = await presentCommits(req, repository, await readCommits(repository, [base]))
      if (commit === undefined) throw notFound('Merge Base')
      return commit
    },
  )
}

async function resolved(repository: StoredRepository | undefined, ref: string): Promise<string> {
  const id = await requestedCommit(repository, ref)
  if (id === undefined) throw badRequest(`Could not find ref: ${ref}`)
  return id
}

/** The repository that has `from`. @throws 404 when the caller cannot see its project, 403 when they cannot read its code */
async function originOf(
  req: FastifyRequest,
  own: StoredRepository,
  projectId: number | undefined,
): Promise<StoredRepository | undefined> {
  if (projectId === undefined || projectId === req.project().container.id) return own
  const { container } = await authorizeProject(req.server.db, req.viewer, String(projectId), 'download_code')
  return req.server.services.repositories.ofProject(container.id)
}
