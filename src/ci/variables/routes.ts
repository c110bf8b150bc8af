import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { presentVariable, Variable } from './entity.ts'
import { handleChange, handleCreation, handleDeletion } from './handle.ts'
import { ByVariable, NewVariable, VariableChanges, VariableFilter, VariablePages } from './parameters.ts'
import { findVariable, variableOrder, variablesOf } from './queries.ts'

const byFilter =
  'Where several environments have one with this key, `filter[environment_scope]` says which is meant.'

/** CI/CD variables of projects and groups. */
export const variableRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  for (const { kind, subject, open } of projectsAndGroups) {
    const collection = `/${kind}s/:id/variables` as const
    const holderOf = (req: FastifyRequest) => open(req).container.namespace_id

    app.get(
      collection,
      {
        config: reads(subject('read_cicd_variable')),
        schema: {
          summary: `List the CI/CD variables of a ${kind}`,
          description: 'Oldest first.',
          params: ById,
          querystring: VariablePages,
          response: { 200: Type.Array(Variable) },
        },
      },
      async (req, reply) => {
        const rows = await paginate(req, reply, variablesOf(db, holderOf(req)), variableOrder)
        return Promise.all(rows.map((row) => presentVariable(services, row)))
      },
    )

    app.get(
      `${collection}/:key`,
      {
        config: reads(subject('read_cicd_variable')),
        schema: {
          summary: `Get a CI/CD variable of a ${kind}`,
          description: byFilter,
          params: ByVariable,
          querystring: VariableFilter,
          refuses: [409],
          response: { 200: Variable },
        },
      },
      async (req) => {
        const scope = req.query.filter?.environment_scope
        return presentVariable(services, await findVariable(db, holderOf(req), req.params.key, scope))
      },
    )

    app.post(
      collection,
      {
        config: writes(subject('admin_cicd_variable')),
        schema: {
          summary: `Create a CI/CD variable of a ${kind}`,
          params: ById,
          body: NewVariable,
          response: { 201: Variable },
        },
      },
      async (req) => {
        const whose = { kind, holder: holderOf(req) }
        return presentVariable(services, await handleCreation(req, services, whose, req.body))
      },
    )

    app.put(
      `${collection}/:key`,
      {
        config: writes(subject('admin_cicd_variable')),
        schema: {
          summary: `Change a CI/CD variable of a ${kind}`,
          description: byFilter,
          params: ByVariable,
          body: VariableChanges,
          refuses: [409],
          response: { 200: Variable },
        },
      },
      async (req) => {
        const { filter, ...changes } = req.body
        const meant = { kind, holder: holderOf(req), key: req.params.key, scope: filter?.environment_scope }
        return presentVariable(services, await handleChange(req, services, meant, changes))
      },
    )

    app.delete(
      `${collection}/:key`,
      {
        config: writes(subject('admin_cicd_variable')),
        schema: {
          summary: `Delete a CI/CD variable of a ${kind}`,
          description: byFilter,
          params: ByVariable,
          querystring: VariableFilter,
          refuses: [409],
          response: { 204: NoContent },
        },
      },
      async (req) => {
        const scope = req.query.filter?.environment_scope
        await handleDeletion(req, services, { kind, holder: holderOf(req), key: req.params.key, scope })
      },
    )
  }
}
