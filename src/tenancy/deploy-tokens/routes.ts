import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { admin, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { assertMayHandOut } from '#identity/tokens/handing-out.ts'
import { createDeployToken } from './create-deploy-token.ts'
import { deleteDeployToken } from './delete-deploy-token.ts'
import { DeployToken, DeployTokenWithSecret, presentDeployToken } from './entity.ts'
import { ByDeployToken, DeployTokenFilter, NewDeployToken } from './parameters.ts'
import {
  deployTokenOrder,
  deployTokensIn,
  deployTokensOf,
  filterDeployTokens,
  findDeployToken,
} from './queries.ts'

/** Deploy tokens of the instance, of projects and of groups. */
export const deployTokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const { clock } = app.services
  const now = () => clock.now().toISOString()

  app.get(
    '/deploy_tokens',
    {
      config: reads(admin),
      schema: {
        summary: 'List the deploy tokens of the instance',
        querystring: DeployTokenFilter,
        response: { 200: Type.Array(DeployToken) },
      },
    },
    async (req, reply) => {
      const tokens = filterDeployTokens(deployTokensIn(db), req.query, now())
      const rows = await paginate(req, reply, tokens, deployTokenOrder)
      return rows.map((row) => presentDeployToken(row, now()))
    },
  )

  for (const { kind, subject, open } of projectsAndGroups) {
    const base = `/${kind}s/:id/deploy_tokens` as const

    app.get(
      base,
      {
        config: reads(subject('read_deploy_token')),
        schema: {
          summary: `List the deploy tokens of a ${kind}`,
          params: ById,
          querystring: DeployTokenFilter,
          response: { 200: Type.Array(DeployToken) },
        },
      },
      async (req, reply) => {
        const tokens = filterDeployTokens(deployTokensOf(db, open(req).container), req.query, now())
        const rows = await paginate(req, reply, tokens, deployTokenOrder)
        return rows.map((row) => presentDeployToken(row, now()))
      },
    )

    app.get(
      `${base}/:token_id`,
      {
        config: reads(subject('read_deploy_token')),
        schema: {
          summary: `Get a deploy token of a ${kind}`,
          params: ByDeployToken,
          response: { 200: DeployToken },
        },
      },
      async (req) => {
        const token = await findDeployToken(db, open(req).container, req.params.token_id)
        return presentDeployToken(token, now())
      },
    )

    app.post(
      base,
      {
        config: writes(subject('create_deploy_token')),
        schema: {
          summary: `Create a deploy token of a ${kind}`,
          description: 'Git and the registries accept the token, with its username. The API does not.',
          params: ById,
          body: NewDeployToken,
          response: { 201: DeployTokenWithSecret },
        },
      },
      async (req) => {
        const { container } = open(req)
        assertMayHandOut(req.identity, [])
        const token = await req.write((tx) => createDeployToken(tx, container, req.body))
        return { ...presentDeployToken(token, now()), token: token.secret }
      },
    )

    app.delete(
      `${base}/:token_id`,
      {
        config: writes(subject('delete_deploy_token')),
        schema: {
          summary: `Delete a deploy token of a ${kind}`,
          description: 'It stops working at once.',
          params: ByDeployToken,
          response: { 204: NoContent },
        },
      },
      async (req) => {
        const { container } = open(req)
        await req.write((tx) => deleteDeployToken(tx, container, req.params.token_id))
      },
    )
  }
}
