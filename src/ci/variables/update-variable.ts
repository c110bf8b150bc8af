import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { Conflict, invalid } from '#platform/refusals.ts'
import { checkVariable } from './check-variable.ts'
import type { NewVariable } from './create-variable.ts'
import type { VariableRow } from './entity.ts'
import { aboutVariable, type HolderKind } from './facts.ts'
import { lockVariable } from './queries.ts'

export type VariableChange = Partial<Omit<NewVariable, 'key' | 'masked_and_hidden'>>

/** The value that a variable has after a change. */
export interface NextValue {
  readonly plain: string
  readonly sealed: Buffer
}

/**
 * Changes the given attributes that differ and leaves the rest.
 * @param found the variable as it was when its value was read
 * @param next its value then: the given one, or the one that was read
 * @returns the changed variable
 * @throws 400 for what {@link checkVariable} refuses, and for a hidden variable that would be shown; 404 when it is gone; 409 when
 *   somebody else changed its value meanwhile
 */
export async function updateVariable(
  tx: Tx,
  kind: HolderKind,
  found: VariableRow,
  { value, ...given }: VariableChange,
  next: NextValue,
): Promise<VariableRow> {
  const before = await lockVariable(tx, found)
  if (value === undefined && !before.value.equals(found.value))
    throw new Conflict('409 Conflict - somebody else changed the variable at this moment: send it again')
  const { variable_type, environment_scope, description, protected: isProtected, masked, raw } = before
  const old = { variable_type, environment_scope, description, protected: isProtected, masked, raw }
  const wanted = { ...old, ...given }
  if (before.hidden && !wanted.masked)
    throw invalid({
      base: ['The visibility setting cannot be changed for masked and hidden variables.'],
    })
  checkVariable({ ...wanted, key: before.key, value: next.plain })
  // The value itself is in no fact.
  const changes = {
    ...changesBetween(old, wanted),
    ...(value === undefined ? {} : { value: { from: null, to: null } }),
  }
  if (Object.keys(changes).length === 0) return before
  const after = { ...wanted, value: next.sealed, updated_at: tx.now }
  await tx.db.updateTable('ci_variables').set(after).where('id', '=', before.id).execute()
  const about = aboutVariable({ ...before, ...after }, kind)
  const details = { ...about.details, fields: Object.keys(changes), changes }
  record(tx, { name: 'ci variable changed', ...about, details })
  return { ...before, ...after }
}
