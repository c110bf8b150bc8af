import type { FastifyRequest } from 'fastify'
import { authorizeGroup } from '#platform/access/authorize.ts'
import { assertTier } from '#platform/access/tiers.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { findParent } from './tree.ts'
import { type EpicRow, findEpic } from './queries.ts'
import { epicTier } from './tier.ts'

interface EpicReference {
  readonly epic_id?: number | null | undefined
  readonly epic_iid?: number | null | undefined
}

/**
 * Finds the epic that a request wants for an issue; it stays until the transaction ends.
 * @returns null for none, undefined when the request says nothing of it.
 * @throws 403 without the plan or the right to link there, 404 when the caller may not see it
 */
export async function findEpicOfRequest(
  tx: Tx,
  req: FastifyRequest,
  { epic_id, epic_iid }: EpicReference,
): Promise<EpicRow | null | undefined> {
  if (epic_id === undefined && epic_iid === undefined) return undefined
  const named = epic_id ?? epic_iid ?? 0
  if (named === 0) return null
  assertTier(epicTier, req.server.services)
  return findParent(tx, req.viewer, epic_id ?? (await idOf(tx, req, named)))
}

/** The id of an epic by its number in the group that the project is in. */
async function idOf(tx: Tx, req: FastifyRequest, iid: number): Promise<number> {
  const group = String(req.project().container.parent_id)
  const authorized = await authorizeGroup(tx.db, req.viewer, group, 'read_epic')
  return (await findEpic(tx.db, req.viewer, authorized, { iid })).id
}
