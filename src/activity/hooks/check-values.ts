import { unprocessable } from '#platform/refusals.ts'
import { MOST_VALUES } from './parameters.ts'

/** A custom header or a variable, with its value. */
export interface KeyedValue {
  readonly key: string
  readonly value: string
}

export type ValueKind = 'header' | 'variable'

/** Whether a text can be the value of a header. */
const isHeaderValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text)

/** Headers that say how the request itself is sent. */
const ITS_OWN = /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive)$/i

const rules = {
  header: {
    is: ({ key, value }: KeyedValue) =>
      /^[A-Za-z][A-Za-z0-9._-]*$/.test(key) && !ITS_OWN.test(key) && isHeaderValue(value),
    refusal: 'Invalid custom headers given',
    few: `A webhook has at most ${MOST_VALUES} custom headers`,
  },
  variable: {
    is: ({ key }: KeyedValue) => /^[A-Za-z][\w.-]*$/.test(key),
    refusal: 'Invalid url variables given',
    few: `A webhook has at most ${MOST_VALUES} url variables`,
  },
} as const

/** @throws 422 for a key or value that no delivery could have, and for the same key twice */
export function checkValues(kind: ValueKind, values: readonly KeyedValue[]): void {
  const { is, refusal } = rules[kind]
  const keys = new Set(values.map(({ key }) => (kind === 'header' ? key.toLowerCase() : key)))
  if (!values.every(is) || keys.size < values.length) throw unprocessable(refusal)
}

/** @throws 422 */
export function assertFewValues(kind: ValueKind, count: number): void {
  if (count > MOST_VALUES) throw unprocessable(rules[kind].few)
}

/** @throws 422 for a token that no header could hold */
export function checkToken(token: string | null): void {
  if (token !== null && !isHeaderValue(token)) throw unprocessable('Invalid token given')
}

/** @throws 422 for a key that is none of `whsec_` and 32 bytes in Base64 */
export function checkSigningToken(token: string | null): void {
  if (token !== null && signingKey(token)?.length !== 32) throw unprocessable('Invalid signing token given')
}

/** The bytes of a signing token. Undefined for what is none. */
export function signingKey(token: string): Buffer | undefined {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(token) ?? []
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64')
}
