import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { GranteeChange } from '#code/protected-references/grantees.ts'
import { protect } from '#code/protected-references/protect.ts'
import { lockIfProtected, type ProtectedReference } from '#code/protected-references/rows.ts'
import { unprotect } from '#code/protected-references/unprotect.ts'
import { updateProtection } from '#code/protected-references/update-protection.ts'
import { grantsFor } from '#code/protected-references/wishes.ts'
import { assertMayUnprotect } from '#code/protected-branches/wishes.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import { project, writes } from '#platform/access/route-access.ts'
import { levels } from '#platform/access/roles.ts'
import type { ProtectedAction } from '#platform/db/schema.ts'
import { Branch } from './entity.ts'
import { findBranch } from './find-branch.ts'
import { BranchProtection, ByBranch } from './parameters.ts'
import { presentOne } from './routes.ts'

const config = writes(project('admin_protected_reference'))

/** GitLab 9.5 has protected branches as a resource of their own. */
const since = '2017-08-22'

/** The older routes that protect branches. */
export const protectBranchRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.put(
    '/projects/:id/repository/branches/:branch/protect',
    {
      config,
      schema: {
        summary: 'Protect a branch',
        deprecated: { since, successor: '`POST /projects/:id/protected_branches`' },
        params: ByBranch,
        body: BranchProtection,
        response: { 200: Branch },
      },
    },
    async (req) => {
      const found = await findBranch(await requestedRepository(req), req.params.branch)
      const { container } = req.project()
      const { branch: name } = req.params
      const wanted = {
        push: levelFor(req.body.developers_can_push),
        merge: levelFor(req.body.developers_can_merge),
      }
      await req.write(async (tx) => {
        const known = await lockIfProtected(tx, container.id, 'branch', name)
        if (known === undefined) {
          const grants = (['push', 'merge', 'unprotect'] as const).flatMap((action) =>
            grantsFor(action, [{ access_level: action === 'unprotect' ? 40 : (wanted[action] ?? 40) }]),
          )
          await protect(tx, container, { kind: 'branch', name, grants })
          return
        }
        await assertMayUnprotect(tx, req, name)
        const grantees = {
          push: replacing(known, 'push', wanted.push),
          merge: replacing(known, 'merge', wanted.merge),
        }
        await updateProtection(tx, container, known, { grantees })
      })
      return presentOne(req, found)
    },
  )

  app.put(
    '/projects/:id/repository/branches/:branch/unprotect',
    {
      config,
      schema: {
        summary: 'Unprotect a branch',
        deprecated: { since, successor: '`DELETE /projects/:id/protected_branches/:name`' },
        params: ByBranch,
        response: { 200: Branch },
      },
    },
    async (req) => {
      const found = await findBranch(await requestedRepository(req), req.params.branch)
      const { container } = req.project()
      await req.write(async (tx) => {
        const known = await lockIfProtected(tx, container.id, 'branch', req.params.branch)
        if (known === undefined) return
        await assertMayUnprotect(tx, req, known.name)
        await unprotect(tx, container, 'branch', known)
      })
      return presentOne(req, found)
    },
  )
}

const levelFor = (developers: boolean | undefined) =>
  developers === undefined ? undefined : developers ? levels.developer : levels.maintainer

/** One level instead of everything before; nothing without a level. */
function replacing(
  { grants }: ProtectedReference,
  action: ProtectedAction,
  level: number | undefined,
): readonly GranteeChange[] {
  if (level === undefined) return []
  const before = grants.filter((grant) => grant.action === action)
  if (before.length === 1 && before[0]?.access_level === level) return []
  return [...before.map(({ id }) => ({ id, _destroy: true })), { access_level: level }]
}
