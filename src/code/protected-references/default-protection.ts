import { sql } from 'kysely'
import { levels } from '#platform/access/roles.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { BranchProtection } from '#tenancy/groups/branch-protection.ts'

/**
 * How the default branch of a new project is protected: as the nearest group above says that says anything, otherwise
 * as the instance says.
 * @param ofInstance the instance's `default_branch_protection_defaults`
 */
export async function defaultProtectionOf(
  db: Db | Tx['db'],
  projectId: number,
  ofInstance: BranchProtection,
): Promise<BranchProtection> {
  const found = await db
    .selectFrom('namespaces as g')
    .innerJoin('namespaces as n', (join) => join.on(sql<boolean>`g.id = any(n.traversal_ids)`))
    .innerJoin('projects as p', 'p.project_namespace_id', 'n.id')
    .select(sql<BranchProtection>`g.settings -> 'default_branch_protection_defaults'`.as('protection'))
    .where('p.id', '=', projectId)
    .where(sql<boolean>`g.settings -> 'default_branch_protection_defaults' is not null`)
    .orderBy(sql`cardinality(g.traversal_ids)`, 'desc')
    .limit(1)
    .executeTakeFirst()
  return found?.protection ?? ofInstance
}

/** Whether a protection protects nothing: Developers may push, also by force. */
export function protectsNothing({ allowed_to_push, allow_force_push }: BranchProtection): boolean {
  return allow_force_push && lowest(allowed_to_push) <= levels.developer
}

/** The lowest level that may push to an empty repository. */
export function levelForFirstPush({ allowed_to_push, developer_can_initial_push }: BranchProtection): number {
  return developer_can_initial_push ? levels.developer : lowest(allowed_to_push)
}

/** Level 0 means nobody; somebody must be able to begin. */
function lowest(allowed: BranchProtection['allowed_to_push']): number {
  const given = allowed.map(({ access_level }) => access_level).filter((level) => level > 0)
  return given.length === 0 ? levels.maintainer : given.reduce((least, one) => Math.min(least, one))
}
