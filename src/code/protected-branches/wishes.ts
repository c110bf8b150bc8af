import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { NewGrant } from '#code/protected-references/grantees.ts'
import { isGranted } from '#code/protected-references/may.ts'
import { protectionsOf } from '#code/protected-references/rows.ts'
import { assertLicensed, grantsFor, requestedGrantees } from '#code/protected-references/wishes.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/refusals.ts'
import type { NewProtectedBranch } from './parameters.ts'

/** Who may do what with a new protected branch. Unless a request says, Maintainers may. */
export function requestedGrants(
  services: FastifyRequest['server']['services'],
  asked: Static<typeof NewProtectedBranch>,
): NewGrant[] {
  const byAction = {
    push: requestedGrantees(asked.push_access_level, asked.allowed_to_push),
    merge: requestedGrantees(asked.merge_access_level, asked.allowed_to_merge),
    unprotect: requestedGrantees(asked.unprotect_access_level, asked.allowed_to_unprotect),
  }
  assertLicensed(services, asked, Object.values(byAction).flat())
  return (['push', 'merge', 'unprotect'] as const).flatMap((action) => grantsFor(action, byAction[action]))
}

/** A branch may say who may change or end its protection. @throws 403 for others */
export async function assertMayUnprotect(tx: Tx, req: FastifyRequest, name: string): Promise<void> {
  const { container, accessContext } = req.project()
  const userId = req.user().id
  const query = { projectId: container.id, kind: 'branch', userId, today: req.viewer.today } as const
  const found = (await protectionsOf(tx.db, query)).find((one) => one.name === name)
  const says = found?.grants.some(({ action }) => action === 'unprotect')
  if (found !== undefined && says && !isGranted(found, 'unprotect', { accessContext, userId })) {
    throw forbidden('the protection of this branch is for others to change')
  }
}
