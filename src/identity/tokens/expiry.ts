import { invalid } from '#platform/refusals.ts'
import { daysAfter } from '#platform/http/time.ts'
import type { Settings } from '#platform/settings/definitions.ts'

/** The instance's rules for tokens. */
export type TokenPolicy = Pick<
  Settings,
  | 'require_personal_access_token_expiry'
  | 'max_personal_access_token_lifetime'
  | 'personal_access_token_prefix'
>

/** Days until a rotated token expires, where tokens must expire ("Limits" in the specification). */
const ROTATED = 7

/**
 * The day on which a new token expires: the requested one, else the last one allowed; null for never.
 * @throws 400 for a day that is not in the future or beyond the limit, and for none where one is needed.
 */
export function expiryOfNew(policy: TokenPolicy, today: string, asked: string | undefined): string | null {
  const last = lastDay(policy, today)
  if (asked !== undefined) return checked(asked, today, last)
  if (last === null && policy.require_personal_access_token_expiry) throw invalidExpiry("can't be blank")
  return last
}

/** The same for a token that replaces another: one week, where tokens must expire. */
export function expiryOfRotated(
  policy: TokenPolicy,
  today: string,
  asked: string | undefined,
): string | null {
  const last = lastDay(policy, today)
  if (asked !== undefined) return checked(asked, today, last)
  if (!policy.require_personal_access_token_expiry) return last
  const week = daysAfter(today, ROTATED)
  return last !== null && last < week ? last : week
}

function checked(asked: string, today: string, last: string | null): string {
  if (asked <= today) throw invalidExpiry('must be in the future')
  if (last !== null && asked > last) throw invalidExpiry(`must not be after ${last}`)
  return asked
}

/** The last day on which a new token may expire; null without limit. */
export function lastDay(
  { max_personal_access_token_lifetime: days }: TokenPolicy,
  today: string,
): string | null {
  return days === null ? null : daysAfter(today, days)
}

const invalidExpiry = (because: string) => invalid({ expires_at: [because] })
