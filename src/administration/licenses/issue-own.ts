import { randomUUID } from 'node:crypto'
import type { Static } from 'typebox'
import type { Secrets } from '#platform/db/secrets.ts'
import { daysAfter } from '#platform/http/time.ts'
import { invalidParameters } from '#platform/refusals.ts'
import { ownKey } from './keys.ts'
import { type LicenseString, readLicense, signLicense } from './license-string.ts'
import type { OwnLicense } from './parameters.ts'

/** How long a license is in force whose end nobody names. */
const A_YEAR = 365

interface Issuer {
  readonly name: string
  readonly email: string
}

/**
 * A license that the instance signs for itself: it trusts its own key, and whoever runs it may issue any.
 * @throws 400 for an end that has passed or comes before the start
 */
export async function issueOwn(
  secrets: Secrets,
  asked: Static<typeof OwnLicense>,
  issuer: Issuer,
  today: string,
): Promise<LicenseString> {
  const { plan, starts_at = today, users, name = issuer.name, email = issuer.email, company = name } = asked
  const { expires_at = daysAfter(starts_at, A_YEAR) } = asked
  if (expires_at <= today)
    throw invalidParameters([{ name: 'expires_at', text: 'is not in the future', missing: false }])
  if (expires_at <= starts_at)
    throw invalidParameters([{ name: 'expires_at', text: 'is not after starts_at', missing: false }])
  const licensee = { Name: oneLine(name), Email: oneLine(email), Company: oneLine(company) }
  const terms = { jti: randomUUID(), plan, starts_at, expires_at, users, licensee, add_ons: {} }
  return readLicense(await signLicense(terms, await ownKey(secrets)))
}

/** What a license holds of a text. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, 255)
    .toWellFormed()
