import { isIPv4, isIPv6 } from 'node:net'
import type { ReducedEvent } from './event.ts'

const FILTERED = '[Filtered]'

/** Names of what nobody else should read. */
const SECRET_NAME =
  /pass(?:word|wd|phrase|code)|pwd|secret|token|credential|authorization|(?:^|[_-])auth(?:$|[_-])|cookie|session|api[_-]?key|private[_-]?key|access[_-]?key|csrf|xsrf|card[_-]?n|cvv|cvc|iban|ssn|signature|e?mail|phone|ip[_-]?addr|^ip$|forwarded|real[_-]?ip|remote[_-]?addr|connecting-ip|client-ip/i

/** Names that look like the above. */
const HARMLESS_NAME = /^(?:session_?count|tokens?_?(?:used|count))$/i

const EMAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g
const CARD = /(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d.])/g
const IPV4 = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\d)/g
const IPV6 = /(?<![\w:.])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:])/gi
const CREDENTIALS = /\b(Bearer|Basic|Digest)\s{1,3}[\w.~+/=-]{8,}/gi
const USERINFO = /(:\/\/)[^\s/@:]{1,255}(?::[^\s/@]{0,255})?@/g
const PAIR =
  /((?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[_-]?key|auth|session|signature)[\w-]{0,20}["']?\s{0,3}(?:=|["']\s{0,3}:|:\s{0,3}["'])\s{0,3}["']?)[^\s"'&,;)}]+/gi

/** A text without what looks like an address, a card, or a credential. */
export function scrubText(text: string): string {
  let clean = text
  if (clean.includes('@')) clean = clean.replace(USERINFO, `$1${FILTERED}@`).replace(EMAIL, '[email]')
  if (/\d{4}/.test(clean)) clean = clean.replace(CARD, (found) => (isCard(found) ? '[card]' : found))
  if (clean.includes('.')) clean = clean.replace(IPV4, (found) => (isIPv4(found) ? '[ip]' : found))
  if (clean.includes(':')) clean = clean.replace(IPV6, (found) => (isIPv6(found) ? '[ip]' : found))
  return clean.replace(CREDENTIALS, `$1 ${FILTERED}`).replace(PAIR, `$1${FILTERED}`)
}

/** The check digit of card numbers, by Luhn. */
function isCard(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  if (/^(\d)\1+$/.test(digits)) return false
  let sum = 0
  for (const [index, digit] of digits.split('').toReversed().entries()) {
    const double = Number(digit) * 2
    sum += index % 2 === 0 ? Number(digit) : double > 9 ? double - 9 : double
  }
  return sum % 10 === 0
}

/** A value of any shape without personal data: by the names of its parts, and in its texts. */
export function scrubValue(value: unknown): unknown {
  if (typeof value === 'string') return scrubText(value)
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value > 1e12 ? scrubNumber(value) : value
  if (Array.isArray(value)) return isPair(value) ? scrubPair(value) : value.map(scrubValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, scrubNamed(name, one)]))
}

const scrubNumber = (value: number): unknown => (isCard(String(value)) ? '[card]' : value)

const scrubNamed = (name: string, value: unknown): unknown =>
  isSecret(name) && value !== null && value !== undefined ? FILTERED : scrubValue(value)

const isSecret = (name: string) => SECRET_NAME.test(name) && !HARMLESS_NAME.test(name)

/** Headers and cookies may come as a list of pairs. */
const isPair = (value: readonly unknown[]) => value.length === 2 && typeof value[0] === 'string'
const scrubPair = ([name, value]: readonly unknown[]) => [name, scrubNamed(String(name), value)]

/** An event without personal data. Source and names of functions stay as they are. */
export function scrubEvent(event: ReducedEvent): ReducedEvent {
  const { message, template, transaction, fingerprint, exceptions, ...rest } = event
  const anyShape = ['tags', 'user', 'request', 'contexts', 'extra', 'breadcrumbs'] as const
  const scrubbed = Object.fromEntries(
    anyShape.flatMap((name) => (rest[name] === undefined ? [] : [[name, scrubValue(rest[name])]])),
  )
  return {
    ...rest,
    ...scrubbed,
    ...(message !== undefined && { message: scrubText(message) }),
    ...(template !== undefined && { template: scrubText(template) }),
    ...(transaction !== undefined && { transaction: scrubText(transaction) }),
    ...(fingerprint !== undefined && { fingerprint: fingerprint.map(scrubText) }),
    exceptions: exceptions.map(({ value, frames, ...exception }) => ({
      ...exception,
      ...(value !== undefined && { value: scrubText(value) }),
      frames: frames.map((frame) =>
        frame.vars === undefined
          ? frame
          : {
              ...frame,
              vars: Object.fromEntries(Object.entries(frame.vars).map(([n, v]) => [n, scrubNamed(n, v)])),
            },
      ),
    })),
  }
}
