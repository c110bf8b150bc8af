import { sql } from 'kysely'
import { ClientPattern, PatternRefused } from '#platform/client-pattern.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalid } from '#platform/refusals.ts'

/** The formats of which a group says whether files may be published again. */
export type WithDuplicates = 'generic' | 'maven'

/** What a group says of packages that are published in the projects below it. */
export interface PackageSettings {
  readonly generic_duplicates_allowed: boolean
  /** Packages for which the opposite holds, by name or version: an expression of RE2; blank for none. */
  readonly generic_duplicate_exception_regex: string
  readonly maven_duplicates_allowed: boolean
  readonly maven_duplicate_exception_regex: string
}

/** What holds where no group says anything. */
export const standardSettings: PackageSettings = {
  generic_duplicates_allowed: true,
  generic_duplicate_exception_regex: '',
  maven_duplicates_allowed: true,
  maven_duplicate_exception_regex: '',
}

/** What the nearest of some groups says that says anything. */
export async function packageSettingsOf(
  db: Db | Tx['db'],
  traversalIds: readonly number[],
): Promise<PackageSettings> {
  const ids = [...traversalIds]
  const found = await db
    .selectFrom('package_settings')
    .select(['generic_duplicates_allowed', 'generic_duplicate_exception_regex'])
    .select(['maven_duplicates_allowed', 'maven_duplicate_exception_regex'])
    .where('group_id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .orderBy(sql`array_position(${ids}::bigint[], group_id)`, 'desc')
    .limit(1)
    .executeTakeFirst()
  return found ?? standardSettings
}

/**
 * Keeps what a group says. What it is not asked to change stays as it was: as a group around it says, if it has said nothing itself.
 * @throws 400 for an expression that cannot be read
 */
export async function keepPackageSettings(
  tx: Tx,
  {
    namespace_id,
    traversal_ids,
  }: { readonly namespace_id: number; readonly traversal_ids: readonly number[] },
  changes: Partial<PackageSettings>,
): Promise<void> {
  for (const name of ['generic_duplicate_exception_regex', 'maven_duplicate_exception_regex'] as const)
    assertExpression(name, changes[name])
  if (Object.keys(changes).length === 0) return
  const before = await packageSettingsOf(tx.db, traversal_ids)
  await tx.db
    .insertInto('package_settings')
    .values({ group_id: namespace_id, ...before, ...changes })
    .onConflict((conflict) => conflict.column('group_id').doUpdateSet(changes))
    .execute()
}

function assertExpression(attribute: string, expression = ''): void {
  try {
    if (expression !== '') readExpression(expression)
  } catch (error) {
    if (error instanceof PatternRefused) throw invalid({ [attribute]: [error.message] })
    throw error
  }
}

const readExpression = (expression: string) => new ClientPattern(`^(?:${expression})$`)

interface Asked {
  readonly type: WithDuplicates
  readonly name: string
  readonly version: string
  readonly traversalIds: readonly number[]
}

/** Whether a file of a package may be published again. */
export async function mayRepeat(tx: Tx, { type, name, version, traversalIds }: Asked): Promise<boolean> {
  const settings = await packageSettingsOf(tx.db, traversalIds)
  const expression = settings[`${type}_duplicate_exception_regex`]
  const allowed = settings[`${type}_duplicates_allowed`]
  if (expression === '') return allowed
  const pattern = readExpression(expression)
  return pattern.finds(name) || pattern.finds(version) ? !allowed : allowed
}
