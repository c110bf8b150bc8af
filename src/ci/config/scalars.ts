/** A date, for which the reader of the dominant implementation has no value. */
export class Dated extends Error {
  override readonly name = 'Dated'
}

const FLOAT = /^[-+]?(?:[0-9][0-9_,]*)?\.[0-9]*(?:[eE][+-][0-9]+)?$/
const SIXTIES = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}(?:\.[0-9_]*)?$/
const DATE = /^\d{4}-(?:1[012]|0\d|\d)-(?:[12]\d|3[01]|0\d|\d)$/
const TIME =
  /^-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?$/

/**
 * The value of a plain scalar of YAML 1.1, as Ruby's reader sees it: `yes` is true but `y` is a text, `0644` is 420,
 * and `1_000` is a number.
 * @throws {Dated} for a date or a time
 */
export function plainValue(text: string): null | boolean | number | string {
  if (text === '' || text === '~') return null
  if (text.length <= 5) {
    const word = text.toLowerCase()
    if (word === 'null') return null
    if (word === 'true' || word === 'yes' || word === 'on') return true
    if (word === 'false' || word === 'no' || word === 'off') return false
  }
  if (!/^[-+.\d]/.test(text)) return text
  if (DATE.test(text)) throw new Dated('Tried to load unspecified class: Date')
  if (TIME.test(text)) throw new Dated('Tried to load unspecified class: Time')
  return numberOf(text) ?? text
}

/** Numbers stay texts where JavaScript would write them otherwise than Ruby: `1.0`, and more digits than it keeps. */
function numberOf(text: string): number | string | undefined {
  const plain = text.replaceAll(/[_,]/g, '')
  if (/^[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)$/.test(text)) return whole(plain)
  if (/^[-+]?0[0-7_]+$/.test(text)) return signed(plain, 8, 1)
  if (/^[-+]?0b[01_]+$/.test(text)) return signed(plain, 2, 2)
  if (/^[-+]?0x[0-9a-fA-F_]+$/.test(text)) return signed(plain, 16, 2)
  if (SIXTIES.test(text)) return sixties(plain)
  if (/^[-+]?\.$/.test(text)) return undefined
  if (FLOAT.test(text)) return fraction(Number(plain.replace(/\.(?=[eE]|$)/, '')))
  if (/^\+?\.inf$/i.test(text)) return Infinity
  if (/^-\.inf$/i.test(text)) return -Infinity
  return /^\.nan$/i.test(text) ? Number.NaN : undefined
}

function whole(digits: string): number | string {
  const value = Number(digits)
  return Number.isSafeInteger(value) ? value : digits.replace(/^\+/, '')
}

const fraction = (value: number): number | string => (Number.isSafeInteger(value) ? value.toFixed(1) : value)

function signed(text: string, base: number, prefix: number): number {
  const sign = text.startsWith('-') ? -1 : 1
  return sign * Number.parseInt(text.replace(/^[-+]/, '').slice(prefix), base)
}

function sixties(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  const parts = text.replace(/^[-+]/, '').split(':')
  return sign * parts.reduce((sum, part) => sum * 60 + Number(part), 0)
}
