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
import { updateProtection } from '#code/protected-references/update-protection.ts'
import { assertLicensed } from '#code/protected-references/wishes.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { contains } from '#platform/db/search.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { presentProtectedBranch, ProtectedBranch } from './entity.ts'
import { NewProtectedBranch, ProtectedBranchChanges, ProtectedFilter } from './parameters.ts'
import { assertMayUnprotect, requestedGrants } from './wishes.ts'

const sees = reads(project('read_protected_reference'))
const changes = writes(project('admin_protected_reference'))

/** Routes for protected branches. */
export const protectedBranchRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/projects/:id/protected_branches',
    {
      config: sees,
      schema: {
        summary: 'List protected branches',
        params: ById,
        querystring: ProtectedFilter,
        response: { 200: Type.Array(ProtectedBranch) },
      },
    },
    async (req, reply) => {
      const { search = '' } = req.query
      const all = protectedReferences(db, req.project().container.id, 'branch')
      const list = search === '' ? all : all.where(contains(['p.name'], search))
      return (await paginate(req, reply, list, protectedOrder)).map(presentProtectedBranch)
    },
  )

  app.get(
    '/projects/:id/protected_branches/:name',
    {
      config: sees,
      schema: { summary: 'Get a protected branch', params: ByProtected, response: { 200: ProtectedBranch } },
    },
    async (req) =>
      presentProtectedBranch(await findProtected(db, req.project().container.id, 'branch', req.params.name)),
  )

  app.post(
    '/projects/:id/protected_branches',
    {
      config: changes,
      schema: {
        summary: 'Protect a branch, or all branches that a pattern means',
        params: ById,
        body: NewProtectedBranch,
        refuses: [409],
        response: { 201: ProtectedBranch },
      },
    },
    async (req) => {
      const { name, allow_force_push = false, code_owner_approval_required = false } = req.body
      const grants = requestedGrants(services, req.body)
      const wanted = { kind: 'branch', name, allow_force_push, code_owner_approval_required, grants } as const
      const made = await req.write((tx) => protect(tx, req.project().container, wanted))
      return presentProtectedBranch(made)
    },
  )

  app.patch(
    '/projects/:id/protected_branches/:name',
    {
      config: changes,
      schema: {
        summary: 'Change how a branch is protected',
        params: ByProtected,
        body: ProtectedBranchChanges,
        response: { 200: ProtectedBranch },
      },
    },
    async (req) => {
      const { container } = req.project()
      const { allowed_to_push, allowed_to_merge, allowed_to_unprotect, ...flags } = req.body
      const grantees = {
        push: allowed_to_push ?? [],
        merge: allowed_to_merge ?? [],
        unprotect: allowed_to_unprotect ?? [],
      }
      assertLicensed(services, flags, Object.values(grantees).flat())
      const changed = await req.write(async (tx) => {
        const known = await lockProtected(tx, container.id, 'branch', req.params.name)
        await assertMayUnprotect(tx, req, known.name)
        return updateProtection(tx, container, known, { ...flags, grantees })
      })
      return presentProtectedBranch(changed)
    },
  )

  app.delete(
    '/projects/:id/protected_branches/:name',
    {
      config: changes,
      schema: { summary: 'Unprotect a branch', params: ByProtected, response: { 204: NoContent } },
    },
    async (req) => {
      const { container } = req.project()
      await req.write(async (tx) => {
        const known = await lockProtected(tx, container.id, 'branch', req.params.name)
        await assertMayUnprotect(tx, req, known.name)
        await unprotect(tx, container, 'branch', known)
      })
    },
  )
}
