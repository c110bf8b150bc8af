import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { VariableRow } from './entity.ts'
import { aboutVariable, type HolderKind } from './facts.ts'
import { lockVariable } from './queries.ts'

/** Deletes a variable. @throws 404 when it is gone */
export async function deleteVariable(tx: Tx, kind: HolderKind, found: VariableRow): Promise<void> {
  const variable = await lockVariable(tx, found)
  await tx.db.deleteFrom('ci_variables').where('id', '=', variable.id).execute()
  record(tx, { name: 'ci variable deleted', ...aboutVariable(variable, kind) })
}
