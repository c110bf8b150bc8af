import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ByProtected } from '#code/protected-references/schema.ts'
import { protect } from '#code/protected-references/protect.ts'
import {
  findProtected,
  lockProtected,
  protectedOrder,
  protectedReferences,
} from '#code/protected-references/rows.ts'
import { unprotect } from '#code/protected-references/unprotect.ts'
import { assertLicensed, grantsFor, requestedGrantees } from '#code/protected-references/wishes.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { presentProtectedTag, ProtectedTag } from './entity.ts'
import { NewProtectedTag } from './parameters.ts'

const sees = reads(project('read_protected_reference'))
const changes = writes(project('admin_protected_reference'))

/** Routes for protected tags. */
export const protectedTagRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/projects/:id/protected_tags',
    {
      config: sees,
      schema: {
        summary: 'List protected tags',
        params: ById,
        querystring: Type.Object(pageParameters),
        response: { 200: Type.Array(ProtectedTag) },
      },
    },
    async (req, reply) => {
      const list = protectedReferences(db, req.project().container.id, 'tag')
      return (await paginate(req, reply, list, { ...protectedOrder, of: 'ProtectedTag' })).map(
        presentProtectedTag,
      )
    },
  )

  app.get(
    '/projects/:id/protected_tags/:name',
    {
      config: sees,
      schema: { summary: 'Get a protected tag', params: ByProtected, response: { 200: ProtectedTag } },
    },
    async (req) =>
      presentProtectedTag(await findProtected(db, req.project().container.id, 'tag', req.params.name)),
  )

  app.post(
    '/projects/:id/protected_tags',
    {
      config: changes,
      schema: {
        summary: 'Protect a tag, or all tags that a pattern means',
        params: ById,
        body: NewProtectedTag,
        refuses: [409],
        response: { 201: ProtectedTag },
      },
    },
    async (req) => {
      const { name, create_access_level, allowed_to_create } = req.body
      const grantees = requestedGrantees(create_access_level, allowed_to_create)
      assertLicensed(services, {}, grantees)
      const wanted = { kind: 'tag', name, grants: grantsFor('create', grantees) } as const
      const made = await req.write((tx) => protect(tx, req.project().container, wanted))
      return presentProtectedTag(made)
    },
  )

  app.delete(
    '/projects/:id/protected_tags/:name',
    {
      config: changes,
      schema: { summary: 'Unprotect a tag', params: ByProtected, response: { 204: NoContent } },
    },
    async (req) => {
      const { container } = req.project()
      await req.write(async (tx) => {
        const known = await lockProtected(tx, container.id, 'tag', req.params.name)
        await unprotect(tx, container, 'tag', known)
      })
    },
  )
}
