import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/refusals.ts'
import { type Caller, gatesOf, type Guarded } from '../protected-environments/gate.ts'

/**
 * Asks what protects an environment. It also decides who may stop, change or delete the environment.
 * @returns whether a deployment there needs approval
 * @throws 403 for those who may not deploy there
 */
export async function assertMayDeploy(tx: Tx, caller: Caller, environment: Guarded): Promise<boolean> {
  const [gate] = await gatesOf(tx.db, caller, [environment])
  if (gate?.mayDeploy !== true) throw forbidden()
  return gate.needsApproval
}

/**
 * The same for a change of an environment.
 * @param tier that it shall have
 * @throws 403 also for those who would take it out of a tier that a group protects, and could not end that protection
 */
export async function assertMayChange(
  tx: Tx,
  caller: Caller,
  environment: Guarded,
  tier: string = environment.tier,
): Promise<void> {
  const [gate] = await gatesOf(tx.db, caller, [environment])
  if (gate?.mayDeploy !== true || (tier !== environment.tier && !gate.mayChangeTier)) throw forbidden()
}
