import { lockText } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { checkVariable } from './check-variable.ts'
import { variableColumns, type VariableRow } from './entity.ts'
import { aboutVariable, type HolderKind } from './facts.ts'
import type { Holder } from './queries.ts'

export interface NewVariable {
  readonly key: string
  readonly value: string
  readonly variable_type?: 'env_var' | 'file'
  readonly environment_scope?: string
  readonly description?: string | null
  readonly protected?: boolean
  readonly masked?: boolean
  readonly masked_and_hidden?: boolean
  readonly raw?: boolean
}

/** The most variables of one holder. */
export const maxVariables = { project: 8_000, group: 30_000, instance: 8_000 } as const

/**
 * Makes a variable.
 * @param sealed its value as it is stored
 * @throws 400 for what {@link checkVariable} refuses, past the maximum, and when the key is taken for those environments; 404 when the
 *   holder is gone
 */
export async function createVariable(
  tx: Tx,
  { kind, holder }: { readonly kind: HolderKind; readonly holder: Holder },
  given: NewVariable,
  sealed: Buffer,
): Promise<VariableRow> {
  const { key, value, variable_type = 'env_var', environment_scope = '*', description = null } = given
  const { masked_and_hidden: hidden = false, protected: isProtected = false, raw = false } = given
  const masked = hidden || (given.masked ?? false)
  checkVariable({ key, value, masked, raw, environment_scope })
  if (holder !== null) await lockParent(tx, holder)
  await lockText(tx, `ci variables of ${holder ?? 'the instance'}`)
  const { count } = await tx.db
    .selectFrom('ci_variables')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('namespace_id', 'is not distinct from', holder)
    .executeTakeFirstOrThrow()
  if (count >= maxVariables[kind])
    throw invalid({ base: [`Maximum number of ${kind} CI/CD variables (${maxVariables[kind]}) exceeded`] })
  const variable = await tx.db
    .insertInto('ci_variables')
    .values({
      namespace_id: holder,
      key,
      value: sealed,
      variable_type,
      environment_scope,
      description,
      protected: isProtected,
      masked,
      hidden,
      raw,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(variableColumns)
    .executeTakeFirstOrThrow()
  record(tx, { name: 'ci variable created', ...aboutVariable(variable, kind) })
  return variable
}
