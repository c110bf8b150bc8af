import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { InstanceVariable, presentInstanceVariable } from './entity.ts'
import { handleChange, handleCreation, handleDeletion } from './handle.ts'
import {
  ByInstanceVariable,
  InstanceVariableChanges,
  NewInstanceVariable,
  VariablePages,
} from './parameters.ts'
import { findVariable, variableOrder, variablesOf } from './queries.ts'

const whose = { kind: 'instance', holder: null } as const

/** CI/CD variables of the instance, for the jobs of all projects. */
export const instanceVariableRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  const collection = '/admin/ci/variables'

  app.get(
    collection,
    {
      config: reads(admin),
      schema: {
        summary: 'List the CI/CD variables of the instance',
        description: 'Oldest first.',
        querystring: VariablePages,
        response: { 200: Type.Array(InstanceVariable) },
      },
    },
    async (req, reply) => {
      const rows = await paginate(req, reply, variablesOf(db, null), variableOrder)
      return Promise.all(rows.map((row) => presentInstanceVariable(services, row)))
    },
  )

  app.get(
    `${collection}/:key`,
    {
      config: reads(admin),
      schema: {
        summary: 'Get a CI/CD variable of the instance',
        params: ByInstanceVariable,
        response: { 200: InstanceVariable },
      },
    },
    async (req) => presentInstanceVariable(services, await findVariable(db, null, req.params.key, undefined)),
  )

  app.post(
    collection,
    {
      config: writes(admin),
      schema: {
        summary: 'Create a CI/CD variable of the instance',
        body: NewInstanceVariable,
        response: { 201: InstanceVariable },
      },
    },
    async (req) => presentInstanceVariable(services, await handleCreation(req, services, whose, req.body)),
  )

  app.put(
    `${collection}/:key`,
    {
      config: writes(admin),
      schema: {
        summary: 'Change a CI/CD variable of the instance',
        params: ByInstanceVariable,
        body: InstanceVariableChanges,
        response: { 200: InstanceVariable },
      },
    },
    async (req) => {
      const meant = { ...whose, key: req.params.key }
      return presentInstanceVariable(services, await handleChange(req, services, meant, req.body))
    },
  )

  app.delete(
    `${collection}/:key`,
    {
      config: writes(admin),
      schema: {
        summary: 'Delete a CI/CD variable of the instance',
        params: ByInstanceVariable,
        response: { 204: NoContent },
      },
    },
    async (req) => handleDeletion(req, services, { ...whose, key: req.params.key }),
  )
}
