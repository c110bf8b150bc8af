import { durationOf } from './durations.ts'
import { parseExpression } from './expression.ts'
import { flatten, isList, isMapping, isScalar, isText, type Value } from './values.ts'

/** Says what is wrong with the value at a path; nothing if it is right. */
export type Form = (value: Value, path: string, say: (path: string, text: string) => void) => void

const check =
  (isRight: (value: Value) => boolean, text: string): Form =>
  (value, path, say) => {
    if (!isRight(value)) say(path, `config ${text}`)
  }

export const text = check(isText, 'should be a string')
export const scalar = check(isScalar, 'should be a string')
export const bool = check((value) => typeof value === 'boolean', 'should be a boolean value')
export const anything: Form = () => undefined
export const hashOfTexts = check(
  (value) => isMapping(value) && [...value.values()].every(isScalar),
  'should be a hash of key value pairs',
)
export const oneOf = (...words: readonly string[]): Form =>
  check((value) => isText(value) && words.includes(value), `should be one of: ${words.join(', ')}`)
export const within = (least: number, most: number): Form =>
  check(
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most,
    `should be an integer between ${least} and ${most}`,
  )
export const duration = check(
  (value) => typeof value === 'number' || (isText(value) && durationOf(value) !== undefined),
  'should be a duration',
)
export const expiry = check(
  (value) =>
    value === 'never' || typeof value === 'number' || (isText(value) && durationOf(value) !== undefined),
  'should be a duration',
)
export const texts = check((value) => isList(value) && value.every(isText), 'should be an array of strings')
export const textOrTexts = check(
  (value) => isText(value) || (isList(value) && value.every(isText)),
  'should be a string or an array of strings',
)
export const nestedTexts = check(
  (value) => isText(value) || (isList(value) && flatten(value)?.every(isText) === true),
  'should be a string or a nested array of strings up to 10 levels deep',
)
export const lists = check(
  (value) => isList(value) && flatten(value)?.every(isScalar) === true,
  'should be an array of strings',
)
export const expression = check(
  (value) => isText(value) && parseExpression(value) !== undefined,
  'invalid expression syntax',
)

/** A mapping with these keys. */
export const hash =
  (forms: Readonly<Record<string, Form>>, required: readonly string[] = []): Form =>
  (value, path, say) => {
    if (!isMapping(value)) return say(path, 'config should be a hash')
    const unknown = [...value.keys()].filter((key) => !Object.hasOwn(forms, key))
    if (unknown.length > 0) say(path, `config contains unknown keys: ${unknown.join(', ')}`)
    for (const key of required) {
      if (!value.has(key)) say(path, `config missing required keys: ${key}`)
    }
    for (const [key, held] of value) if (held !== null) forms[key]?.(held, `${path}:${key}`, say)
  }

/** The first form whose kind of value it is: a text, a list, a mapping, or anything else. */
export const byKind =
  (forms: { text?: Form; list?: Form; hash?: Form; other?: Form }, otherwise: string): Form =>
  (value, path, say) => {
    const form = isText(value)
      ? forms.text
      : isList(value)
        ? forms.list
        : isMapping(value)
          ? forms.hash
          : forms.other
    if (form === undefined) say(path, `config ${otherwise}`)
    else form(value, path, say)
  }

/** A list, also of lists, of what has this form. */
export const each =
  (form: Form): Form =>
  (value, path, say) => {
    const all = isList(value) ? flatten(value) : undefined
    if (all === undefined) return say(path, 'config should be an array')
    for (const one of all) form(one, path, say)
  }
