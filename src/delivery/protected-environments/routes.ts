import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { group, project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { presentProtected, ProtectedEnvironment } from './entity.ts'
import {
  ByProtectedEnvironment,
  NewProtectedEnvironment,
  ProtectedEnvironmentChanges,
  ProtectedEnvironmentPage,
} from './parameters.ts'
import { protect } from './protect.ts'
import { findProtected, protectedEnvironmentOrder, protectedEnvironments } from './rows.ts'
import { tier } from './tier.ts'
import { unprotect } from './unprotect.ts'
import { updateProtection } from './update-protection.ts'

const protecting = {
  project: 'Protect an environment',
  group: 'Protect a tier of the environments in a group',
} as const

/** Protected environments of projects, and protected tiers of groups. */
export const protectedEnvironmentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const { kind, subject, open } of projectsAndGroups) {
    const collection = `/${kind}s/:id/protected_environments` as const
    const single = `${collection}/:name` as const
    const sees = reads(subject('read_protected_environment'), { tier })
    const changes = writes(subject('admin_protected_environment'), { tier })

    app.get(
      collection,
      {
        config: sees,
        schema: {
          summary: `List the protected environments of a ${kind}`,
          params: ById,
          querystring: ProtectedEnvironmentPage,
          response: { 200: Type.Array(ProtectedEnvironment) },
        },
      },
      async (req, reply) => {
        const all = protectedEnvironments(db, open(req).container)
        return (await paginate(req, reply, all, protectedEnvironmentOrder)).map(presentProtected)
      },
    )

    app.get(
      single,
      {
        config: sees,
        schema: {
          summary: `Get a protected environment of a ${kind}`,
          params: ByProtectedEnvironment,
          response: { 200: ProtectedEnvironment },
        },
      },
      async (req) => presentProtected(await findProtected(db, open(req).container, req.params.name)),
    )

    app.post(
      collection,
      {
        config: changes,
        schema: {
          summary: protecting[kind],
          params: ById,
          body: NewProtectedEnvironment[kind],
          refuses: [409, 422],
          response: { 201: ProtectedEnvironment },
        },
      },
      async (req) => {
        const made = await req.write((tx) => protect(tx, open(req).container, req.body))
        return presentProtected(made)
      },
    )

    app.put(
      single,
      {
        config: changes,
        schema: {
          summary: `Change who may deploy to a protected environment of a ${kind}, and who must approve`,
          params: ByProtectedEnvironment,
          body: ProtectedEnvironmentChanges,
          ...(kind === 'project' && { refuses: [422] }),
          response: { 200: ProtectedEnvironment },
        },
      },
      async (req) => {
        const { name } = req.params
        return presentProtected(
          await req.write((tx) => updateProtection(tx, open(req).container, name, req.body)),
        )
      },
    )
  }

  app.delete(
    '/projects/:id/protected_environments/:name',
    {
      config: writes(project('admin_protected_environment'), { tier }),
      schema: {
        summary: 'Unprotect an environment',
        params: ByProtectedEnvironment,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write((tx) => unprotect(tx, req.project().container, req.params.name))
    },
  )

  app.delete(
    '/groups/:id/protected_environments/:name',
    {
      config: writes(group('admin_protected_environment'), { tier }),
      schema: {
        summary: 'Unprotect a tier of the environments in a group',
        description: 'Answers 200 with what the protection was.',
        params: ByProtectedEnvironment,
        response: { 200: ProtectedEnvironment },
      },
    },
    async (req) =>
      presentProtected(await req.write((tx) => unprotect(tx, req.group().container, req.params.name))),
  )
}
