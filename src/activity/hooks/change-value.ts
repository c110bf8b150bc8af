import type { Secrets } from '#platform/db/secrets.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import { assertFewValues, checkValues, type KeyedValue, type ValueKind } from './check-values.ts'
import { aboutHook, hookNameOf } from './create-hook.ts'
import type { HookRow } from './entity.ts'
import { checkUrl, fillUrl, originOf } from './hook-url.ts'
import { openSecretsOf } from './sealing.ts'
import { replaceValues, setValue } from './write-values.ts'

const fieldOf = { header: 'custom_headers', variable: 'url_variables' } as const

/**
 * Sets a custom header or a variable of a hook. A variable that makes the URL lead to another server makes the hook
 * forget its tokens and custom headers.
 * @param hook locked by `lockHook`.
 * @throws 422 for a key or value that no delivery could have, and for too many
 */
export async function changeValue(
  tx: Tx,
  hook: HookRow,
  kind: ValueKind,
  value: KeyedValue,
  secrets: Secrets,
): Promise<void> {
  checkValues(kind, [value])
  const own = hook.values.filter((one) => one.kind === kind)
  const same = own.find(
    ({ key }) => key === value.key || (kind === 'header' && key.toLowerCase() === value.key.toLowerCase()),
  )
  assertFewValues(kind, own.length + (same === undefined ? 1 : 0))
  if (kind === 'variable') await moveServer(tx, hook, value, secrets)
  await setValue(tx, secrets, hook, kind, { ...value, key: same?.key ?? value.key })
  recordValue(tx, hook, kind)
}

async function moveServer(
  tx: Tx,
  hook: HookRow,
  { key, value }: KeyedValue,
  secrets: Secrets,
): Promise<void> {
  const { variables } = openSecretsOf(secrets, hook)
  const next = { ...variables, [key]: value }
  const filled = checkUrl(hook.url, next)
  if (originOf(filled) === originOf(fillUrl(hook.url, variables))) return
  await tx.db
    .updateTable('hooks')
    .set({ token: null, signing_token: null })
    .where('id', '=', hook.id)
    .execute()
  await replaceValues(tx, secrets, hook, 'header', [])
}

/** @throws 404 for a key that the hook does not have, 422 for a variable that its URL needs */
export async function deleteValue(tx: Tx, hook: HookRow, kind: ValueKind, key: string): Promise<void> {
  if (kind === 'variable' && hook.url.includes(`{${key}}`)) {
    const others = hook.values.filter((one) => one.kind === kind && one.key !== key)
    checkUrl(hook.url, Object.fromEntries(others.map((one) => [one.key, ''])))
  }
  await tx.db
    .deleteFrom('hook_values')
    .where('hook_id', '=', hook.id)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .returning('key')
    .executeTakeFirstOrThrow(() => notFound())
  recordValue(tx, hook, kind)
}

function recordValue(tx: Tx, hook: HookRow, kind: ValueKind): void {
  const details = { hook: hookNameOf(hook), fields: [fieldOf[kind]] }
  record(tx, { ...aboutHook(hook), name: 'webhook changed', details })
}
