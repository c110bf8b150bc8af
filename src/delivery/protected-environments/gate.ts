import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { levelAt } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { means } from './meant.ts'
import { type ProtectedItem, hasRules, letsDeploy, protections, targetsOf } from './protections.ts'
import { type PlanSource, protects } from './tier.ts'

export type { ProtectedItem } from './protections.ts'

/** Somebody who wants to do something with environments of a project, and what says which plan counts. */
export interface GateCaller {
  readonly project: Pick<AuthorizedProject, 'container'>
  readonly viewer: Viewer
  readonly services: PlanSource
}

/** Whoever sent a request about the environments of the project that its path names. */
export const callerOf = (req: FastifyRequest): GateCaller => ({
  project: req.project(),
  viewer: req.viewer,
  services: req.server.services,
})

/** What protection says about one environment and one caller. */
export interface Gate {
  /** Whether the caller may deploy there, and stop or delete it. Their role in the project allows it already. */
  readonly mayDeploy: boolean
  /** Whether a deployment waits there until others have approved it. */
  readonly needsApproval: boolean
  /** Whether the caller may take the environment out of its tier: those who could end what groups protect there. */
  readonly mayChangeTier: boolean
}

const OPEN_GATE: Gate = { mayDeploy: true, needsApproval: false, mayChangeTier: true }

/**
 * What protects environments from a caller, one for each environment, in their order. One statement answers for all. Each
 * protection must let the caller deploy. It takes no locks: a protection that begins at the same moment comes after the deployment.
 */
export async function gatesOf(
  db: Db | Tx['db'],
  { project: { container }, viewer, services }: GateCaller,
  environments: readonly ProtectedItem[],
): Promise<readonly Gate[]> {
  if (environments.length === 0 || !protects(services)) return environments.map(() => OPEN_GATE)
  const { id, today } = viewer
  const { rows } = await sql<Gate & { readonly key: number }>`
    with ${targetsOf(container.id, environments)}, ${protections}
    select pe.key,
      bool_and(exists (select from users u where u.id = ${id}::bigint
        and ${letsDeploy((grant) => means(grant, today))})) as "mayDeploy",
      bool_or(pe.required_approval_count > 0 or ${hasRules}) as "needsApproval",
      bool_and(pe.group_id is null or ${viewer.admin}
        or ${levelAt('c', viewer)} >= ${sql.lit(levels.maintainer)}) as "mayChangeTier"
    from protections pe join namespaces c on c.id = pe.node
    group by pe.key`.execute(db)
  const found = new Map(rows.map(({ key, ...gate }) => [key, gate]))
  return environments.map((_, at) => found.get(at + 1) ?? OPEN_GATE)
}
