import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { checkVariable } from './check-variable.ts'
import type { NewVariable } from './create-variable.ts'
import type { VariableRow } from './entity.ts'
import { aboutVariable, type HolderKind } from './facts.ts'
import { lockVariable } from './queries.ts'

export type VariableChange = Partial<Omit<NewVariable, 'key' | 'masked_and_hidden'>>

/** Values as they are stored. */
export interface SealedValues {
  /** The new value; undefined where it stays. */
  readonly sealed: Buffer | undefined
  readonly open: (sealed: Buffer) => Promise<string>
}

/**
 * Changes the given attributes that differ and leaves the rest.
 * @param found the variable, not locked yet
 * @returns the changed variable
 * @throws 400 for what {@link checkVariable} refuses, and for a hidden variable that would be shown; 404 when it is gone
 */
export async function updateVariable(
  tx: Tx,
  kind: HolderKind,
  found: VariableRow,
  { value, ...given }: VariableChange,
  { sealed, open }: SealedValues,
): Promise<VariableRow> {
  const before = await lockVariable(tx, found)
  const { variable_type, environment_scope, description, protected: isProtected, masked, raw } = before
  const old = { variable_type, environment_scope, description, protected: isProtected, masked, raw }
  const wanted = { ...old, ...given }
  if (before.hidden && !wanted.masked)
    throw invalid({
      base: ['The visibility setting cannot be changed for masked and hidden variables.'],
    })
  checkVariable({ ...wanted, key: before.key, value: value ?? (await open(before.value)) })
  // The value itself is in no fact.
  const changes = {
    ...changesBetween(old, wanted),
    ...(value === undefined ? {} : { value: { from: null, to: null } }),
  }
  if (Object.keys(changes).length === 0) return before
  const after = { ...wanted, value: sealed ?? before.value, updated_at: tx.now }
  await tx.db.updateTable('ci_variables').set(after).where('id', '=', before.id).execute()
  const about = aboutVariable({ ...before, ...after }, kind)
  const details = { ...about.details, fields: Object.keys(changes), changes }
  record(tx, { name: 'ci variable changed', ...about, details })
  return { ...before, ...after }
}
