import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/refusals.ts'
import { type GateCaller, gatesOf, type ProtectedItem } from '../protected-environments/gate.ts'

/**
 * Checks the protections of an environment. They also decide who may stop, change or delete it.
 * @returns whether a deployment there needs approval
 * @throws 403 for those who may not deploy there
 */
export async function assertMayDeploy(
  tx: Tx,
  caller: GateCaller,
  environment: ProtectedItem,
): Promise<boolean> {
  const [gate] = await gatesOf(tx.db, caller, [environment])
  if (gate?.mayDeploy !== true) throw forbidden()
  return gate.needsApproval
}

/**
 * The same for a change of an environment.
 * @param tier that it shall have
 * @throws 403 also when the change moves it out of a tier that a group protects, and the caller may not remove that protection
 */
export async function assertMayChangeEnvironment(
  tx: Tx,
  caller: GateCaller,
  environment: ProtectedItem,
  tier: string = environment.tier,
): Promise<void> {
  const [gate] = await gatesOf(tx.db, caller, [environment])
  if (gate?.mayDeploy !== true || (tier !== environment.tier && !gate.mayChangeTier)) throw forbidden()
}
