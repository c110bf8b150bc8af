import type { Secrets } from '#platform/db/secrets.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { byKey, checkAttributes, type HookAttributes, sealedOrNull, triggersAfter } from './attributes.ts'
import { aboutHook, hookNameOf } from './create-hook.ts'
import type { HookOwner, HookRow } from './entity.ts'
import { checkUrl, fillUrl, originOf } from './hook-url.ts'
import { findHook } from './queries.ts'
import { openSecretsOf } from './sealing.ts'
import { replaceValues } from './write-values.ts'

const plain = [
  'url',
  'name',
  'description',
  'triggers',
  'enable_ssl_verification',
  'push_events_branch_filter',
  'branch_filter_strategy',
  'custom_webhook_template',
] as const

/**
 * Changes a hook. What is secret does not go elsewhere: with another URL the tokens are forgotten unless they are given
 * again, and with another server also the custom headers and variables.
 * @param hook locked by `lockHook`.
 * @throws 422 for what no delivery could use
 */
export async function updateHook(
  tx: Tx,
  owner: HookOwner,
  hook: HookRow,
  given: HookAttributes,
  secrets: Secrets,
): Promise<HookRow> {
  checkAttributes(given, hook)
  const known = openSecretsOf(secrets, hook)
  const { url = hook.url } = given
  const movesUrl = url !== hook.url
  const before = originOf(fillUrl(hook.url, known.variables))
  const kept = given.url_variables === undefined ? known.variables : byKey(given.url_variables)
  const movesServer = originOf(fillUrl(url, kept)) !== before
  const url_variables = given.url_variables ?? (movesServer && movesUrl ? [] : undefined)
  const custom_headers = given.custom_headers ?? (movesServer ? [] : undefined)
  checkUrl(url, url_variables === undefined ? kept : byKey(url_variables))
  const forgets = movesUrl || movesServer
  const secretAfter = (
    part: 'token' | 'signing token',
    asked: string | null | undefined,
    now: Buffer | null,
  ) => (asked === undefined ? (forgets ? null : now) : sealedOrNull(secrets, hook.uuid, part, asked))
  const next = {
    url,
    name: given.name === undefined ? hook.name : given.name,
    description: given.description === undefined ? hook.description : given.description,
    triggers: triggersAfter(owner.kind, hook.triggers, { ...given }),
    enable_ssl_verification: given.enable_ssl_verification ?? hook.enable_ssl_verification,
    push_events_branch_filter:
      given.push_events_branch_filter === undefined
        ? hook.push_events_branch_filter
        : given.push_events_branch_filter,
    branch_filter_strategy: given.branch_filter_strategy ?? hook.branch_filter_strategy,
    custom_webhook_template:
      given.custom_webhook_template === undefined
        ? hook.custom_webhook_template
        : given.custom_webhook_template,
    token: secretAfter('token', given.token, hook.token),
    signing_token: secretAfter('signing token', given.signing_token, hook.signing_token),
  }
  await tx.db
    .updateTable('hooks')
    .set({ ...next, updated_at: tx.now, ...(forgets && { failures: 0, paused_until: null }) })
    .where('id', '=', hook.id)
    .execute()
  if (url_variables !== undefined) await replaceValues(tx, secrets, hook, 'variable', url_variables)
  if (custom_headers !== undefined) await replaceValues(tx, secrets, hook, 'header', custom_headers)
  recordChange(tx, hook, next)
  return findHook(tx.db, owner, hook.id)
}

/** Says what differs; of what is secret only that it does. */
function recordChange(
  tx: Tx,
  hook: HookRow,
  next: Pick<HookRow, (typeof plain)[number] | 'token' | 'signing_token'>,
): void {
  const pick = (row: typeof next) =>
    Object.fromEntries(
      plain.map((name) => [name, name === 'url' ? hookNameOf({ name: null, url: row.url }) : row[name]]),
    )
  const changes = changesBetween(pick(hook), pick(next))
  const secret = (['token', 'signing_token'] as const).filter((name) => next[name] !== hook[name])
  const fields = [...Object.keys(changes), ...secret]
  if (fields.length === 0) return
  const withSecrets = {
    ...changes,
    ...Object.fromEntries(secret.map((name) => [name, { from: null, to: null }])),
  }
  record(tx, {
    ...aboutHook(hook),
    name: 'webhook changed',
    details: { hook: hookNameOf(next), fields, changes: withSecrets },
  })
}
