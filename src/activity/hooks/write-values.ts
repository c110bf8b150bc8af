import type { Secrets } from '#platform/db/secrets.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { KeyedValue, ValueKind } from './check-values.ts'
import { sealFor } from './sealing.ts'

interface Owner {
  readonly id: number
  readonly uuid: string
}

/** Replaces all custom headers, or all variables, of a hook that is locked or new. */
export async function replaceValues(
  tx: Tx,
  secrets: Secrets,
  hook: Owner,
  kind: ValueKind,
  values: readonly KeyedValue[],
): Promise<void> {
  await tx.db.deleteFrom('hook_values').where('hook_id', '=', hook.id).where('kind', '=', kind).execute()
  if (values.length === 0) return
  await tx.db
    .insertInto('hook_values')
    .values(values.map((value) => row(secrets, hook, kind, value)))
    .execute()
}

/** Sets one of them. */
export async function setValue(
  tx: Tx,
  secrets: Secrets,
  hook: Owner,
  kind: ValueKind,
  value: KeyedValue,
): Promise<void> {
  const { sealed, ...key } = row(secrets, hook, kind, value)
  await tx.db
    .insertInto('hook_values')
    .values({ ...key, sealed })
    .onConflict((conflict) => conflict.columns(['hook_id', 'kind', 'key']).doUpdateSet({ sealed }))
    .execute()
}

const row = (secrets: Secrets, { id, uuid }: Owner, kind: ValueKind, { key, value }: KeyedValue) => ({
  hook_id: id,
  kind,
  key,
  sealed: sealFor(secrets, uuid, kind, value),
})
