import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { BRANCHES } from '#code/git/names.ts'
import type { Reference, ReferenceOrder } from '#code/git/references.ts'
import { withNamesAsked } from '#code/repositories/name-filter.ts'
import { pageOfReferences } from '#code/repositories/page-references.ts'
import { knownReferences } from '#code/repositories/known-references.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { ById, Message, NoContent } from '#platform/http/schema.ts'
import { createBranch } from './create-branch.ts'
import { deleteBranch, deleteMergedBranches } from './delete-branch.ts'
import { Branch } from './entity.ts'
import { findBranch } from './find-branch.ts'
import { BranchFilter, ByBranch, NewBranch } from './parameters.ts'
import { presentBranches } from './present-branches.ts'

const sees = reads(project('download_code'), { anonymous: true })
const seenByJobs = reads(project('download_code'), { anonymous: true, jobToken: true })
const changes = writes(project('push_code'))

const orders: Readonly<Record<'name_asc' | 'updated_asc' | 'updated_desc', ReferenceOrder>> = {
  name_asc: 'refname',
  updated_asc: 'committerdate',
  updated_desc: '-committerdate',
}

/** Routes for branches; protect-routes.ts has the older ones that protect them. */
export const branchRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/repository/branches',
    {
      config: seenByJobs,
      schema: {
        summary: 'List branches',
        params: ById,
        querystring: BranchFilter,
        response: { 200: Type.Array(Branch) },
      },
    },
    async (req, reply) => {
      const repository = await requestedRepository(req)
      const order = orders[req.query.sort ?? 'name_asc']
      const all = repository === undefined ? [] : await knownReferences(repository, BRANCHES, order)
      const found = await withNamesAsked(all, BRANCHES, req.query)
      const page = await pageOfReferences(req, reply, found, BRANCHES)
      return repository === undefined ? [] : presentBranches(req, repository, page)
    },
  )

  app.route({
    method: ['GET', 'HEAD'],
    url: '/projects/:id/repository/branches/:branch',
    config: sees,
    schema: {
      summary: 'Get a branch',
      description: '`HEAD` answers 204 when there is one.',
      params: ByBranch,
      response: { 200: Branch, 204: NoContent },
    },
    handler: async (req, reply) => {
      const found = await findBranch(await requestedRepository(req), req.params.branch)
      if (req.method === 'HEAD') return reply.code(204).send()
      return presentOne(req, found)
    },
  })

  app.post(
    '/projects/:id/repository/branches',
    {
      config: changes,
      schema: {
        summary: 'Create a branch',
        description:
          'In an empty repository, a branch that begins with the default branch has a first commit made for it.',
        params: ById,
        body: NewBranch,
        refuses: [409],
        response: { 201: Branch },
      },
    },
    async (req) => {
      const made = await createBranch(req, req.body)
      return presentOne(req, made)
    },
  )

  app.delete(
    '/projects/:id/repository/branches/:branch',
    {
      config: changes,
      schema: {
        summary: 'Delete a branch',
        description: 'Neither the default branch nor a protected one can be deleted.',
        params: ByBranch,
        refuses: [405, 409],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { repository, branch } = await findBranch(await requestedRepository(req), req.params.branch)
      await deleteBranch(req, repository, branch)
    },
  )

  app.delete(
    '/projects/:id/repository/merged_branches',
    {
      config: changes,
      schema: {
        summary: 'Delete all branches that the default branch has merged',
        description: 'Protected branches stay.',
        params: ById,
        response: { 202: Message },
      },
    },
    async (req) => {
      const repository = await requestedRepository(req)
      if (repository !== undefined) await deleteMergedBranches(req, repository)
      return { message: '202 Accepted' }
    },
  )
}

interface BranchInRepository {
  readonly repository: StoredRepository
  readonly branch: Reference
}

export async function presentOne(req: FastifyRequest, { repository, branch }: BranchInRepository) {
  const [presented] = await presentBranches(req, repository, [branch])
  if (presented === undefined) throw new Error(`${branch.name} points at no commit`)
  return presented
}
