import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { JobWithProject, presentJobWithProject } from '#code/jobs/entity.ts'
import { usersOf } from '#code/jobs/queries.ts'
import { presentRunner, Runner } from '#code/jobs/runner.ts'
import { admin, anyone, group, project, reads } from '#platform/access/route-access.ts'
import type { PagedRequest } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById } from '#platform/http/schema.ts'
import { jobsOfRunner } from './job-queries.ts'
import { filtered, ownedRunners, runnersOfGroup, runnersOfProject } from './list-queries.ts'
import { runnerJobOrder, runnerOrder } from './order.ts'
import {
  AllRunnersFilter,
  ByRunner,
  GroupRunnersFilter,
  RunnerJobsFilter,
  RunnersFilter,
  type RunnerFilter,
} from './parameters.ts'
import { assertMayChange } from './policy.ts'
import { findRunner, runners } from './queries.ts'

/** Lists of runners, and of the jobs of one. */
export const runnerListRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const response = { 200: Type.Array(Runner) }
  const now = () => services.clock.now().toISOString()

  const page = async (
    req: PagedRequest & { readonly query: RunnerFilter; readonly site: string },
    reply: FastifyReply,
    all: ReturnType<typeof runners>,
  ) => {
    const at = now()
    const rows = await paginate(req, reply, filtered(all, req.query, at), runnerOrder)
    return rows.map((row) => presentRunner(row, { now: at, site: req.site }))
  }

  app.get(
    '/runners',
    {
      config: reads(anyone),
      schema: {
        summary: 'List your runners',
        description: 'Those of groups that you own and of projects that you maintain.',
        querystring: RunnersFilter,
        response,
      },
    },
    (req, reply) => page(req, reply, ownedRunners(db, req.viewer)),
  )

  app.get(
    '/runners/all',
    {
      config: reads(admin),
      schema: { summary: 'List all runners', querystring: AllRunnersFilter, response },
    },
    (req, reply) => page(req, reply, runners(db)),
  )

  app.get(
    '/projects/:id/runners',
    {
      config: reads(project('read_project_runner')),
      schema: {
        summary: 'List the runners of a project',
        description:
          'Its own, those of the groups above it, and those of the instance, as far as its settings let them in.',
        params: ById,
        querystring: AllRunnersFilter,
        response,
      },
    },
    (req, reply) => page(req, reply, runnersOfProject(db, req.project().container.id)),
  )

  app.get(
    '/groups/:id/runners',
    {
      config: reads(group('read_group_runner'), { scopes: ['api', 'read_api', 'manage_runner'] }),
      schema: {
        summary: 'List the runners of a group',
        description:
          'Its own, those of the groups above it, and those of the instance, as far as its settings let them in.',
        params: ById,
        querystring: GroupRunnersFilter,
        response,
      },
    },
    (req, reply) => page(req, reply, runnersOfGroup(db, req.group().container.traversal_ids)),
  )

  app.get(
    '/runners/:id/jobs',
    {
      config: reads(anyone, { scopes: ['api', 'read_api', 'manage_runner'] }),
      schema: {
        summary: 'List the jobs of a runner',
        description: 'Those that it has and had in projects where you are a Reporter or above, newest first.',
        params: ByRunner,
        querystring: RunnerJobsFilter,
        response: { 200: Type.Array(JobWithProject) },
      },
    },
    async (req, reply) => {
      const { id } = req.params
      assertMayChange(await findRunner(db, req.viewer, id), req.viewer)
      const rows = await paginate(req, reply, jobsOfRunner(db, req.viewer, id, req.query), runnerJobOrder)
      const users = await usersOf(db, rows)
      const at = now()
      return rows.map((row) =>
        presentJobWithProject(row, row.project, {
          site: req.site,
          fullPath: row.project.full_path,
          viewer: req.viewer,
          now: at,
          users,
        }),
      )
    },
  )
}
