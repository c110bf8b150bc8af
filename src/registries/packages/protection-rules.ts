import { lockParent } from '#identity/namespaces/lock.ts'
import { lockText } from '#platform/db/locks.ts'
import type { Db } from '#platform/db/pool.ts'
import type { PackageType } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden, invalid, notFound } from '#platform/refusals.ts'
import { isBelow, matchesWildcards, type MinimumLevel, type RoleThere } from '../protection/minimum-levels.ts'
import type { PackagePlace } from './types.ts'

/** What a rule says. */
export interface PackageRule {
  readonly package_name_pattern: string
  readonly package_type: PackageType
  readonly minimum_access_level_for_push?: MinimumLevel | null
  readonly minimum_access_level_for_delete?: Exclude<MinimumLevel, 'maintainer'> | null
}

/** Rules of a project. */
const MOST_RULES = 100

export const packageRulesOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('package_protection_rules')
    .select(['id', 'project_id', 'package_name_pattern', 'package_type'])
    .select(['minimum_access_level_for_push', 'minimum_access_level_for_delete'])
    .where('project_id', '=', projectId)

/** @throws 404 for a rule of another project */
export const packageRule = (db: Db | Tx['db'], projectId: number, id: number) =>
  packageRulesOf(db, projectId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Package Protection Rule'))

/** @throws 400 for a rule that asks for nothing, or whose pattern is taken; and past the maximum */
export async function createPackageRule(tx: Tx, project: PackagePlace, rule: PackageRule): Promise<number> {
  assertAsks(rule)
  await lockParent(tx, project.namespace_id)
  await lockText(tx, `package rules of ${project.id}`)
  const { count } = await tx.db
    .selectFrom('package_protection_rules')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow()
  if (count >= MOST_RULES) throw invalid({ base: [`a project has at most ${MOST_RULES} rules`] })
  const { id } = await tx.db
    .insertInto('package_protection_rules')
    .values({ project_id: project.id, ...rule, created_at: tx.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'package rule created',
    namespace: project.namespace_id,
    target: { type: 'Packages::Protection::Rule', id },
    details: { pattern: rule.package_name_pattern },
  })
  return id
}

/** @throws 404 for a rule of another project, 400 as {@link createPackageRule} */
export async function updatePackageRule(
  tx: Tx,
  project: PackagePlace,
  id: number,
  changes: Partial<PackageRule>,
): Promise<void> {
  await lockParent(tx, project.namespace_id)
  const { id: _, project_id: _project, ...row } = await packageRule(tx.db, project.id, id)
  const changed = { ...row, ...changes }
  assertAsks(changed)
  await tx.db.updateTable('package_protection_rules').set(changed).where('id', '=', id).execute()
  record(tx, {
    name: 'package rule updated',
    namespace: project.namespace_id,
    target: { type: 'Packages::Protection::Rule', id },
    details: { pattern: changed.package_name_pattern },
  })
}

/** @throws 404 for a rule of another project */
export async function deletePackageRule(tx: Tx, project: PackagePlace, id: number): Promise<void> {
  await lockParent(tx, project.namespace_id)
  const gone = await tx.db
    .deleteFrom('package_protection_rules')
    .where('project_id', '=', project.id)
    .where('id', '=', id)
    .returning('package_name_pattern as pattern')
    .executeTakeFirstOrThrow(() => notFound('Package Protection Rule'))
  record(tx, {
    name: 'package rule deleted',
    namespace: project.namespace_id,
    target: { type: 'Packages::Protection::Rule', id },
    details: gone,
  })
}

function assertAsks(rule: {
  readonly minimum_access_level_for_push?: string | null
  readonly minimum_access_level_for_delete?: string | null
}): void {
  if ((rule.minimum_access_level_for_push ?? rule.minimum_access_level_for_delete ?? null) === null)
    throw invalid({ base: ['A rule must have at least a minimum access role for push or delete.'] })
}

interface NamedPackage {
  readonly name: string
  readonly package_type: PackageType
}

/** What rules of a project say of pushing or deleting. */
export interface Rules {
  /** The rule that keeps somebody with a role from doing that to a package; undefined for none. */
  against(
    named: NamedPackage,
    role: RoleThere,
  ): { readonly package_name_pattern: string; readonly minimum: string | null } | undefined
}

export async function rulesOf(
  db: Db | Tx['db'],
  projectId: number,
  doing: 'push' | 'delete',
): Promise<Rules> {
  const rules = await db
    .selectFrom('package_protection_rules')
    .select(['package_type', 'package_name_pattern', `minimum_access_level_for_${doing} as minimum`])
    .where('project_id', '=', projectId)
    .limit(MOST_RULES)
    .execute()
  return {
    against: ({ name, package_type }, role) =>
      rules.find(
        (rule) =>
          rule.package_type === package_type &&
          isBelow(role, rule.minimum) &&
          matchesWildcards(patternIn(rule.package_name_pattern, package_type), name),
      ),
  }
}

/** @throws 403 when a rule of the project keeps somebody from pushing or deleting a package */
export async function assertUnprotected(
  tx: Tx,
  projectId: number,
  named: NamedPackage,
  role: RoleThere,
  doing: 'push' | 'delete',
): Promise<void> {
  const against = (await rulesOf(tx.db, projectId, doing)).against(named, role)
  if (against !== undefined)
    throw forbidden(
      `Package protected: the rule ${against.package_name_pattern} of the project asks for the role ${against.minimum}`,
    )
}

/** A pattern as it is compared. Names of Python packages have several spellings, of which rows have the usual one. */
const patternIn = (pattern: string, type: PackageType): string =>
  type === 'pypi' ? pattern.toLowerCase().replaceAll(/[-_.]+/g, '-') : pattern
