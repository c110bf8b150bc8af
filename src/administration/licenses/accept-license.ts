import type { KeyObject } from 'node:crypto'
import { badRequest, known, refusal } from '#platform/refusals.ts'
import { hasExpired } from './current-license.ts'
import { isSignedBy, type LicenseString, MalformedLicense, readLicense } from './license-string.ts'

/**
 * Reads a license string and checks that the instance can trust it.
 * @throws 400 with the reason: malformed, not signed by a trusted key, or expired.
 */
export async function acceptLicense(
  text: string,
  keys: readonly KeyObject[],
  today: string,
): Promise<LicenseString> {
  const license = read(text)
  if (!(await isSignedBy(license, keys)))
    throw badRequest('The license is not signed by a key that this instance trusts')
  if (hasExpired(license.terms, today))
    throw badRequest(`The license has already expired: it ended on ${license.terms.expires_at}`)
  return license
}

function read(text: string): LicenseString {
  try {
    return readLicense(text)
  } catch (error) {
    throw error instanceof MalformedLicense ? refusal(known('bad-license'), `it ${error.message}`) : error
  }
}
