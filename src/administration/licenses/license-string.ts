import { createHash, type KeyObject } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Check, Errors } from 'typebox/schema'
import { count, oneOf } from '#platform/http/schema.ts'
import { readDay } from '#platform/http/time.ts'
import { licensedPlans } from './licensed-plans.ts'

const line = () => Type.String({ maxLength: 255, pattern: '^[^\\u0000-\\u001f]*$' })
const date = () => Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

/** The terms of a license, as JSON in the payload of its JWS. */
export const LicenseTerms = Type.Object({
  /** Tells two licenses with the same terms apart. */
  jti: line(),
  plan: oneOf(licensedPlans),
  starts_at: date(),
  /** The first day on which the license no longer counts. */
  expires_at: date(),
  /** 0 means no limit. */
  users: count(),
  licensee: Type.Object({ Name: line(), Email: line(), Company: line() }),
  add_ons: Type.Record(Type.String(), count()),
})
export type LicenseTerms = Static<typeof LicenseTerms>

/** A license string that was parsed; its signature is not checked. */
export interface LicenseString {
  readonly terms: LicenseTerms
  /** The given text without blanks. */
  readonly data: string
  /** Equal for equal licenses, however the signature is encoded. */
  readonly digest: Buffer
}

/** Thrown for a text that is not a license string; the message completes "it". */
export class MalformedLicense extends Error {
  override readonly name = 'MalformedLicense'
}

/**
 * Parses a license string without checking its signature. It ignores blanks and line breaks, which mail programs
 * insert.
 * @throws {MalformedLicense}
 */
export function readLicense(text: string): LicenseString {
  const data = text.replace(/\s+/g, '')
  const [, signed, payload] = /^([\w-]+\.([\w-]+))\.[\w-]+$/.exec(data) ?? []
  if (signed === undefined || payload === undefined) throw new MalformedLicense('is not a signed text (JWS)')
  const terms = parse(payload)
  if (!Check(LicenseTerms, terms)) throw new MalformedLicense(faultOf(terms))
  if (readDay(terms.starts_at) !== terms.starts_at) throw new MalformedLicense('has a start that is no day')
  if (readDay(terms.expires_at) !== terms.expires_at) throw new MalformedLicense('has an end that is no day')
  if (terms.expires_at <= terms.starts_at) throw new MalformedLicense('ends before it starts')
  return { terms, data, digest: createHash('sha256').update(signed).digest() }
}

function parse(payload: string): unknown {
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString())
  } catch {
    throw new MalformedLicense('holds no JSON')
  }
}

function faultOf(terms: unknown): string {
  const [, [first]] = Errors(LicenseTerms, terms)
  const where = first?.instancePath.slice(1).replaceAll('/', '.') ?? ''
  return where === '' ? (first?.message ?? 'is no object') : `has a wrong ${where}`
}

/** Signs these terms as a license string. @param key an Ed25519 private key. */
export async function signLicense(terms: LicenseTerms, key: KeyObject): Promise<string> {
  // Imported on demand: most processes never need it.
  const { CompactSign } = await import('jose/jws/compact/sign')
  return new CompactSign(Buffer.from(JSON.stringify(terms)))
    .setProtectedHeader({ alg: 'EdDSA', typ: 'license+jws' })
    .sign(key)
}

/** Whether one of these Ed25519 public keys made the signature. */
export async function isSignedBy({ data }: LicenseString, keys: readonly KeyObject[]): Promise<boolean> {
  const { compactVerify } = await import('jose/jws/compact/verify')
  const algorithms = ['EdDSA', 'Ed25519']
  const answers = keys.map((key) => compactVerify(data, key, { algorithms }).then(() => true))
  return (await Promise.allSettled(answers)).some(({ status }) => status === 'fulfilled')
}
