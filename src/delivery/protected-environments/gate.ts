import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { DeploymentTier } from '#platform/db/schema.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** Somebody who wants to do something with environments of a project. */
export interface Caller {
  readonly project: AuthorizedProject
  readonly viewer: Viewer
}

/** What may be protected. An environment that a deployment is about to make has its name and tier already. */
export interface Guarded {
  readonly name: string
  readonly tier: DeploymentTier
}

/** What protection says about one environment and one caller. */
export interface Gate {
  /** Whether the caller may deploy there, and stop or delete it. Their role in the project allows it already. */
  readonly mayDeploy: boolean
  /** Whether a deployment waits there until others have approved it. */
  readonly needsApproval: boolean
}

/** What protects environments from a caller, one for each environment, in their order. One statement answers for all. */
export async function gatesOf(
  _db: Db | Tx['db'],
  _caller: Caller,
  environments: readonly Guarded[],
): Promise<readonly Gate[]> {
  return environments.map(() => ({ mayDeploy: true, needsApproval: false }))
}
