import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { refuseLater } from '#platform/http/later.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { deployablesOf } from '../deployments/deployables.ts'
import { presentLastDeployment } from '../deployments/entity.ts'
import { lastDeployment } from '../deployments/queries.ts'
import { callerOf } from '../protected-environments/gate.ts'
import { assertMayChangeEnvironment, assertMayDeploy } from './assert-may-deploy.ts'
import { createEnvironment } from './create-environment.ts'
import { Environment } from './entity.ts'
import { hideEnvironments } from './hide-environments.ts'
import {
  ByEnvironment,
  EnvironmentChanges,
  EnvironmentFilter,
  NewEnvironment,
  noClusters,
  StopParameters,
} from './parameters.ts'
import { presentEnvironments, presentOneEnvironment } from './present-for.ts'
import {
  environmentOrder,
  environmentsOf,
  filterEnvironments,
  findEnvironment,
  lockEnvironment,
} from './queries.ts'
import { beginToStop, stopEnvironment } from './stop-environment.ts'
import { updateEnvironment } from './update-environment.ts'
import { EnvironmentWithDeployment } from './with-deployment.ts'

/** Environments: where a project is deployed to. */
export const environmentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/environments',
    {
      config: reads(project('read_environment'), { jobToken: true }),
      schema: {
        summary: 'List the environments of a project',
        params: ById,
        querystring: EnvironmentFilter,
        response: { 200: Type.Array(Environment) },
      },
    },
    async (req, reply) => {
      const all = environmentsOf(db, req.project().container.id)
      const rows = await paginate(req, reply, filterEnvironments(all, req.query), environmentOrder)
      return presentEnvironments(req, rows)
    },
  )

  app.get(
    '/projects/:id/environments/:environment_id',
    {
      config: reads(project('read_environment'), { jobToken: true }),
      schema: {
        summary: 'Get an environment',
        params: ByEnvironment,
        response: { 200: EnvironmentWithDeployment },
      },
    },
    async (req) => {
      const { id } = req.project().container
      const environment = await findEnvironment(environmentsOf(db, id), req.params.environment_id)
      const last = await lastDeployment(db, id, environment.id)
      return {
        ...(await presentOneEnvironment(req, environment)),
        last_deployment:
          last === undefined
            ? null
            : presentLastDeployment(last, req.site, (await deployablesOf(req, [last])).get(last.id)),
      }
    },
  )

  app.post(
    '/projects/:id/environments',
    {
      config: writes(project('admin_environment'), { jobToken: true }),
      schema: {
        summary: 'Create an environment',
        params: ById,
        body: NewEnvironment,
        response: { 201: Environment },
      },
    },
    async (req) => {
      const wanted = refuseLater(req.body, noClusters)
      const made = await req.write((tx) => createEnvironment(tx, req.project().container, wanted))
      return presentOneEnvironment(req, made)
    },
  )

  app.put(
    '/projects/:id/environments/:environment_id',
    {
      config: writes(project('admin_environment'), { jobToken: true }),
      schema: {
        summary: 'Change an environment',
        params: ByEnvironment,
        body: EnvironmentChanges,
        refuses: [412],
        response: { 200: Environment },
      },
    },
    async (req) => {
      const given = refuseLater(req.body, noClusters)
      const caller = callerOf(req)
      const { id, namespace_id } = caller.project.container
      const changed = await req.write(async (tx) => {
        const environment = await lockEnvironment(tx, id, req.params.environment_id)
        await assertMayChangeEnvironment(tx, caller, environment, given.tier)
        assertUnmodified(req, environment.updated_at)
        return updateEnvironment(tx, namespace_id, environment, given)
      })
      return presentOneEnvironment(req, changed)
    },
  )

  app.delete(
    '/projects/:id/environments/:environment_id',
    {
      config: writes(project('admin_environment'), { jobToken: true }),
      schema: {
        summary: 'Delete an environment',
        description: 'Only one that is stopped, with its deployments.',
        params: ByEnvironment,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const caller = callerOf(req)
      const { id, namespace_id } = caller.project.container
      await req.write(async (tx) => {
        const environment = await lockEnvironment(tx, id, req.params.environment_id)
        await assertMayDeploy(tx, caller, environment)
        assertUnmodified(req, environment.updated_at)
        await hideEnvironments(tx, [{ ...environment, namespace: namespace_id }])
      })
    },
  )

  app.post(
    '/projects/:id/environments/:environment_id/stop',
    {
      config: writes(project('admin_environment'), { jobToken: true }),
      schema: {
        summary: 'Stop an environment',
        description:
          'If its deployment has a job for that (`on_stop`), the job runs first, and the state is `stopping`.',
        params: ByEnvironment,
        body: StopParameters,
        response: { 200: Environment },
      },
    },
    async (req) => {
      const caller = callerOf(req)
      const { id, namespace_id } = caller.project.container
      const stopped = await req.write(async (tx) => {
        const environment = await lockEnvironment(tx, id, req.params.environment_id)
        await assertMayDeploy(tx, caller, environment)
        const stop = req.body.force ? stopEnvironment : beginToStop
        return stop(tx, namespace_id, environment)
      })
      return presentOneEnvironment(req, stopped)
    },
  )
}
