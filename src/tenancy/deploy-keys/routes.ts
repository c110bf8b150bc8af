import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { addDeployKey, enableDeployKey } from './add-deploy-key.ts'
import { enabledProjects } from './enabled-projects.ts'
import { presentProjectDeployKey, ProjectDeployKey, type ProjectDeployKeyRow } from './entity.ts'
import { ByDeployKey, DeployKeyChanges, NewDeployKey, ProjectKeyList } from './parameters.ts'
import { findProjectKey, lockProjectKey, projectKeyOrder, projectKeysOf } from './queries.ts'
import { removeDeployKey } from './remove-deploy-key.ts'
import { updateDeployKey } from './update-deploy-key.ts'
import type { FastifyRequest } from 'fastify'

/** The deploy keys of a project; instance-routes.ts has those of the instance. */
export const deployKeyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/deploy_keys',
    {
      config: reads(project('read_deploy_key')),
      schema: {
        summary: 'List the deploy keys of a project',
        params: ById,
        querystring: ProjectKeyList,
        response: { 200: Type.Array(ProjectDeployKey) },
      },
    },
    async (req, reply) => {
      const { id } = req.project().container
      return present(req, await paginate(req, reply, projectKeysOf(db, id), projectKeyOrder))
    },
  )

  app.get(
    '/projects/:id/deploy_keys/:key_id',
    {
      config: reads(project('read_deploy_key')),
      schema: {
        summary: 'Get a deploy key of a project',
        params: ByDeployKey,
        response: { 200: ProjectDeployKey },
      },
    },
    async (req) => presentOne(req, await findProjectKey(db, req.project().container.id, req.params.key_id)),
  )

  app.post(
    '/projects/:id/deploy_keys',
    {
      config: writes(project('admin_deploy_key')),
      schema: {
        summary: 'Add a deploy key to a project',
        description:
          'Enables a key that the instance has already, if it is public or you maintain one of its projects.',
        params: ById,
        body: NewDeployKey,
        response: { 201: ProjectDeployKey },
      },
    },
    async (req) => {
      const { container } = req.project()
      const key = await req.write((tx) => addDeployKey(tx, container, req.viewer, req.body))
      return presentOne(req, key)
    },
  )

  app.post(
    '/projects/:id/deploy_keys/:key_id/enable',
    {
      config: writes(project('admin_deploy_key')),
      schema: {
        summary: 'Enable a deploy key in a project',
        description: 'For public deploy keys, and for those of other projects that you maintain.',
        params: ByDeployKey,
        response: { 201: ProjectDeployKey },
      },
    },
    async (req) => {
      const { container } = req.project()
      const key = await req.write((tx) => enableDeployKey(tx, container, req.viewer, req.params.key_id))
      return presentOne(req, key)
    },
  )

  app.put(
    '/projects/:id/deploy_keys/:key_id',
    {
      config: writes(project('admin_deploy_key')),
      schema: {
        summary: 'Change a deploy key of a project',
        params: ByDeployKey,
        body: DeployKeyChanges,
        response: { 200: ProjectDeployKey },
      },
    },
    async (req) => {
      const { container } = req.project()
      const key = await req.write(async (tx) => {
        const locked = await lockProjectKey(tx, container, req.params.key_id, 'update')
        return updateDeployKey(tx, container, locked, req.body, req.viewer)
      })
      return presentOne(req, key)
    },
  )

  app.delete(
    '/projects/:id/deploy_keys/:key_id',
    {
      config: writes(project('remove_deploy_key')),
      schema: {
        summary: 'Remove a deploy key from a project',
        description: 'A key that is neither public nor enabled in another project is deleted.',
        params: ByDeployKey,
        refuses: [412],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { container } = req.project()
      await req.write(async (tx) => {
        const key = await lockProjectKey(tx, container, req.params.key_id, 'remove')
        assertUnmodified(req, key.updated_at)
        await removeDeployKey(tx, container, key)
      })
    },
  )
}

async function present({ server: { db }, viewer }: FastifyRequest, rows: readonly ProjectDeployKeyRow[]) {
  const enabled = await enabledProjects(
    db,
    rows.map(({ id }) => id),
    viewer,
  )
  return rows.map((row) => presentProjectDeployKey(row, enabled))
}

async function presentOne({ server: { db }, viewer }: FastifyRequest, row: ProjectDeployKeyRow) {
  return presentProjectDeployKey(row, await enabledProjects(db, [row.id], viewer))
}
