import type { Secrets } from '#platform/db/secrets.ts'
import { checkBranchFilter } from './branch-filter.ts'
import { checkSigningToken, checkToken, checkValues, type KeyedValue } from './check-values.ts'
import type { HookRow } from './entity.ts'
import { sealFor } from './sealing.ts'
import { checkTemplate } from './template.ts'
import { type HookKind, type Trigger, triggersOf } from './triggers.ts'

/** What a request says of a hook; triggers stand beside it under their own names. */
export interface HookAttributes {
  readonly url?: string
  readonly name?: string | null
  readonly description?: string | null
  readonly token?: string | null
  readonly signing_token?: string | null
  readonly enable_ssl_verification?: boolean
  readonly push_events_branch_filter?: string | null
  readonly branch_filter_strategy?: HookRow['branch_filter_strategy']
  readonly custom_webhook_template?: string | null
  readonly url_variables?: readonly KeyedValue[]
  readonly custom_headers?: readonly KeyedValue[]
}

/** The triggers that a hook has after a request. */
export function triggersAfter(
  kind: HookKind,
  before: readonly string[],
  given: Readonly<Record<string, unknown>>,
): Trigger[] {
  const names: readonly Trigger[] = triggersOf[kind]
  return names.filter((name) => (typeof given[name] === 'boolean' ? given[name] : before.includes(name)))
}

/** @throws 422 for what no delivery could use */
export function checkAttributes(
  given: HookAttributes,
  before?: Pick<HookRow, 'branch_filter_strategy' | 'push_events_branch_filter'>,
): void {
  checkToken(given.token ?? null)
  checkSigningToken(given.signing_token ?? null)
  checkTemplate(given.custom_webhook_template ?? null)
  checkValues('variable', given.url_variables ?? [])
  checkValues('header', given.custom_headers ?? [])
  const { branch_filter_strategy = before?.branch_filter_strategy ?? 'wildcard' } = given
  const { push_events_branch_filter = before?.push_events_branch_filter ?? null } = given
  checkBranchFilter({ branch_filter_strategy, push_events_branch_filter })
}

/** A secret as it is stored; an empty one is none. */
export const sealedOrNull = (
  secrets: Secrets,
  uuid: string,
  part: 'token' | 'signing token',
  plain: string | null,
): Buffer | null => (plain === null || plain === '' ? null : sealFor(secrets, uuid, part, plain))

/** Values by their keys. */
export const byKey = (values: readonly KeyedValue[]): Record<string, string> =>
  Object.fromEntries(values.map(({ key, value }) => [key, value]))
