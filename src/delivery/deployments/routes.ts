import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { WithPermissions } from '#code/pipelines/entity.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { invalid } from '#platform/refusals.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { onlyOne } from '#platform/sequences.ts'
import { assertMayDeploy } from '../environments/assert-may-deploy.ts'
import { approvalFieldsOf } from '../protected-environments/approval-fields.ts'
import { releaseIfApproved } from '../protected-environments/approve.ts'
import { callerOf } from '../protected-environments/gate.ts'
import { changeStatus } from './change-status.ts'
import { createDeployment } from './create-deployment.ts'
import { deployablesOf } from './deployables.ts'
import { deleteDeployment } from './delete-deployment.ts'
import { Deployment, presentDeployment, type ShownRow } from './entity.ts'
import {
  assertPaired,
  DeploymentFilter,
  ByDeployment,
  DeploymentChanges,
  NewDeployment,
} from './parameters.ts'
import { deploymentOrder } from './order.ts'
import { deploymentsOf, filterDeployments, findDeployment, lockDeployment } from './queries.ts'

/** Deployments: which commit came to which environment, and how that went. */
export const deploymentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  const present = async (
    req: FastifyRequest,
    rows: readonly ShownRow[],
    withPermissions?: boolean,
  ): Promise<Static<typeof Deployment>[]> => {
    const approvals = await approvalFieldsOf(req, rows, withPermissions)
    const deployables = await deployablesOf(req, rows)
    return rows.map((row) => presentDeployment(row, req.site, deployables.get(row.id), approvals.get(row.id)))
  }
  const presentOne = async (
    req: FastifyRequest,
    id: number,
    withPermissions?: boolean,
  ): Promise<Static<typeof Deployment>> => {
    const row = await findDeployment(db, req.project().container.id, id)
    return onlyOne(await present(req, [row], withPermissions))
  }

  app.get(
    '/projects/:id/deployments',
    {
      config: reads(project('read_deployment'), { jobToken: true }),
      schema: {
        summary: 'List the deployments of a project',
        params: ById,
        querystring: DeploymentFilter,
        response: { 200: Type.Array(Deployment) },
      },
    },
    async (req, reply) => {
      const { query } = req
      assertPaired(query)
      const { id } = req.project().container
      const list = filterDeployments(deploymentsOf(db, id), query, id)
      // The column of the filter leads to the rows, so it orders them, too.
      const { updated_after, updated_before } = query
      const order =
        updated_after === undefined && updated_before === undefined
          ? deploymentOrder
          : { ...deploymentOrder, columns: updatedOnly, by: 'updated_at' }
      return present(req, await paginate(req, reply, list, order), query.with_permissions)
    },
  )

  app.get(
    '/projects/:id/deployments/:deployment_id',
    {
      config: reads(project('read_deployment'), { jobToken: true }),
      schema: {
        summary: 'Get a deployment',
        params: ByDeployment,
        querystring: WithPermissions,
        response: { 200: Deployment },
      },
    },
    (req) => presentOne(req, req.params.deployment_id, req.query.with_permissions),
  )

  app.post(
    '/projects/:id/deployments',
    {
      config: writes(project('create_deployment'), { jobToken: true }),
      schema: {
        summary: 'Tell of a deployment',
        description:
          'For programs that deploy: tells what they deploy, and where. Where approval is needed, the answer has the status `blocked`.',
        params: ById,
        body: NewDeployment,
        response: { 201: Deployment },
      },
    },
    async (req) => {
      const { body } = req
      const sha = await deployedCommit(req, body)
      const id = await req.write((tx) => createDeployment(tx, callerOf(req), { ...body, sha }))
      return presentOne(req, id)
    },
  )

  app.put(
    '/projects/:id/deployments/:deployment_id',
    {
      config: writes(project('create_deployment'), { jobToken: true }),
      schema: {
        summary: 'Tell how a deployment goes on',
        params: ByDeployment,
        body: DeploymentChanges,
        refuses: [412],
        response: { 200: Deployment },
      },
    },
    async (req) => {
      const { params, body } = req
      const caller = callerOf(req)
      const { id, namespace_id } = caller.project.container
      await req.write(async (tx) => {
        const locked = await lockDeployment(tx, id, params.deployment_id)
        await assertMayDeploy(tx, caller, locked.environment)
        assertUnmodified(req, locked.deployment.updated_at)
        const free = await releaseIfApproved(tx, caller, locked)
        await changeStatus(tx, namespace_id, free, body.status)
      })
      return presentOne(req, params.deployment_id)
    },
  )

  app.delete(
    '/projects/:id/deployments/:deployment_id',
    {
      config: writes(project('delete_deployment'), { jobToken: true }),
      schema: {
        summary: 'Delete a deployment',
        description: 'Refuses one that runs, and the last one that succeeded in its environment.',
        params: ByDeployment,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { params } = req
      const caller = callerOf(req)
      const { id, namespace_id } = caller.project.container
      await req.write(async (tx) => {
        const locked = await lockDeployment(tx, id, params.deployment_id, true)
        await assertMayDeploy(tx, caller, locked.environment)
        assertUnmodified(req, locked.deployment.updated_at)
        await deleteDeployment(tx, namespace_id, locked)
      })
    },
  )
}

/** Whatever the request names, the column of the filter orders. */
const updatedOnly = Object.fromEntries(
  Object.keys(deploymentOrder.columns).map((name) => [name, { column: 'd.updated_at' }]),
)

/** The whole id of the commit that is deployed. @throws 400 where the project has no such commit, branch or tag */
async function deployedCommit(
  req: FastifyRequest,
  { sha, ref }: { readonly sha: string; readonly ref: string },
): Promise<string> {
  const repository = await requestedRepository(req)
  const commit = repository && (await resolveCommit(repository, sha))
  const named = repository && (await resolveCommit(repository, ref))
  if (commit !== undefined && named !== undefined) return commit
  throw invalid({
    ...(commit === undefined && { sha: ['The commit does not exist'] }),
    ...(named === undefined && { ref: ['The branch or tag does not exist'] }),
  })
}
