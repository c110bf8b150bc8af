import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, anyone, reads, writes } from '#platform/access/route-access.ts'
import { forbidden } from '#platform/refusals.ts'
import { paginate } from '#platform/http/pagination.ts'
import { findUserBy } from '#identity/users/queries.ts'
import { addPublicDeployKey } from './add-deploy-key.ts'
import { enabledProjects } from './enabled-projects.ts'
import { DeployKey, presentDeployKey } from './entity.ts'
import { ByUserOrName, DeployKeyFilter, NewPublicDeployKey, ProjectKeyList } from './parameters.ts'
import { commonKeys, deployKeyOrder, deployKeysIn, haveCommonProject } from './queries.ts'

/** Deploy keys of all projects, and those of the projects that two people share. */
export const instanceDeployKeyRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/deploy_keys',
    {
      config: reads(admin),
      schema: {
        summary: 'List the deploy keys of the instance',
        querystring: DeployKeyFilter,
        response: { 200: Type.Array(DeployKey) },
      },
    },
    async (req, reply) => {
      const keys = deployKeysIn(db).$if(req.query.public, (q) => q.where('k.public', '=', true))
      const rows = await paginate(req, reply, keys, deployKeyOrder)
      const enabled = await enabledProjects(
        db,
        rows.map(({ id }) => id),
        req.viewer,
      )
      return rows.map((row) => presentDeployKey(row, enabled))
    },
  )

  app.post(
    '/deploy_keys',
    {
      config: writes(admin),
      schema: {
        summary: 'Add a public deploy key',
        description: 'The maintainers of every project may enable it.',
        body: NewPublicDeployKey,
        response: { 201: DeployKey },
      },
    },
    async (req) => {
      const key = await req.write((tx) => addPublicDeployKey(tx, req.body))
      return presentDeployKey(key, [])
    },
  )

  app.get(
    '/users/:id_or_username/project_deploy_keys',
    {
      config: reads(anyone),
      schema: {
        summary: 'List the deploy keys of the projects that you and a user both maintain',
        params: ByUserOrName,
        querystring: ProjectKeyList,
        response: { 200: Type.Array(DeployKey) },
      },
    },
    async (req, reply) => {
      const { id } = await findUserBy(db, req.params.id_or_username)
      const rows = await paginate(req, reply, commonKeys(db, req.viewer, id), deployKeyOrder)
      if (rows.length === 0 && !(await haveCommonProject(db, req.viewer, id))) {
        throw forbidden('No common authorized project found')
      }
      const enabled = await enabledProjects(
        db,
        rows.map((row) => row.id),
        req.viewer,
      )
      return rows.map((row) => presentDeployKey(row, enabled))
    },
  )
}
