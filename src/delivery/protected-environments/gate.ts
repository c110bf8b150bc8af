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

/** Somebody who wants to use environments of a project, with the services that know the plan. */
export interface GateCaller {
  readonly project: Pick<AuthorizedProject, 'container'>
  readonly viewer: Viewer
  readonly services: PlanSource
}

/** The caller of a request whose path names the project. */
export const callerOf = (req: FastifyRequest): GateCaller => ({
  project: req.project(),
  viewer: req.viewer,
  services: req.server.services,
})

/** What the protections of an environment allow a caller. */
export interface Gate {
  /** Whether the caller may deploy to it, stop it and delete it. The caller has checked that their role allows this. */
  readonly mayDeploy: boolean
  /** Whether deployments to it wait for approvals. */
  readonly needsApproval: boolean
  /** Whether the caller may move the environment to another tier: only those who may remove the groups' protections of its tier. */
  readonly mayChangeTier: boolean
}

const OPEN_GATE: Gate = { mayDeploy: true, needsApproval: false, mayChangeTier: true }

/**
 * The gates of some environments for a caller, in the order of the environments, read by one statement. Every protection of an environment
 * must let the caller deploy. Nothing is locked: a protection that is added at the same moment counts from the next deployment on.
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
