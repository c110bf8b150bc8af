import { sql } from 'kysely'
import { lockText } from '#platform/db/locks.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { unprocessable } from '#platform/refusals.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { byKey, checkAttributes, type HookAttributes, sealedOrNull, triggersAfter } from './attributes.ts'
import type { HookOwner, HookRow } from './entity.ts'
import { checkUrl } from './hook-url.ts'
import { findHook } from './queries.ts'
import { defaultTriggers } from './triggers.ts'
import { replaceValues } from './write-values.ts'
import { randomUuid } from '#platform/context.ts'

/** What a new hook needs besides what the request says of it. */
export interface NewHookContext {
  readonly secrets: Secrets
  readonly settings: Settings
  /** Where the maker sees this server. */
  readonly site: string
}

/** Makes a hook. @throws 422 for what no delivery could use, and past the maximum number of hooks */
export async function createHook(
  tx: Tx,
  owner: HookOwner,
  given: HookAttributes & { readonly url: string },
  { secrets, settings, site }: NewHookContext,
): Promise<HookRow> {
  checkAttributes(given)
  const { url, url_variables = [], custom_headers = [], token = null, signing_token = null } = given
  checkUrl(url, byKey(url_variables))
  if (owner.namespaceId !== null) await lockParent(tx, owner.namespaceId)
  await assertFew(tx, owner, settings[`max_${owner.kind}_webhooks`])
  const uuid = randomUuid(tx.random)
  const { id } = await tx.db
    .insertInto('hooks')
    .values({
      uuid,
      namespace_id: owner.namespaceId,
      url,
      name: given.name ?? null,
      description: given.description ?? null,
      token: sealedOrNull(secrets, uuid, 'token', token),
      signing_token: sealedOrNull(secrets, uuid, 'signing token', signing_token),
      triggers: triggersAfter(owner.kind, defaultTriggers[owner.kind], { ...given }),
      enable_ssl_verification: given.enable_ssl_verification ?? true,
      push_events_branch_filter: given.push_events_branch_filter ?? null,
      branch_filter_strategy: given.branch_filter_strategy ?? 'wildcard',
      custom_webhook_template: given.custom_webhook_template ?? null,
      site,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await replaceValues(tx, secrets, { id, uuid }, 'variable', url_variables)
  await replaceValues(tx, secrets, { id, uuid }, 'header', custom_headers)
  record(tx, {
    ...aboutHook({ id, namespace_id: owner.namespaceId }),
    name: 'webhook created',
    details: { hook: hookNameOf({ url, name: given.name ?? null }) },
  })
  return findHook(tx.db, owner, id)
}

async function assertFew(tx: Tx, owner: HookOwner, most: number): Promise<void> {
  await lockText(tx, `hooks of ${owner.namespaceId ?? 'the instance'}`)
  const { namespaceId: id } = owner
  const isOwned = id === null ? sql`namespace_id is null` : sql`namespace_id = ${id}`
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from hooks where ${isOwned}`.execute(tx.db)
  if (Number(rows[0]?.count) >= most) {
    throw unprocessable(`Maximum number of ${owner.kind} hooks (${most}) exceeded`)
  }
}

/** The namespace and target of a domain event about a hook. */
export const aboutHook = ({ id, namespace_id }: Pick<HookRow, 'id' | 'namespace_id'>) => ({
  namespace: namespace_id,
  target: { type: 'WebHook', id },
})

/** What audit events call a hook. User names and passwords in URLs are left out. */
export const hookNameOf = ({ name, url }: Pick<HookRow, 'name' | 'url'>): string =>
  (name ?? url.replace(/\/\/[^/@]*@/, '//')).slice(0, 255)
