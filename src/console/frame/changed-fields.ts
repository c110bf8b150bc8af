import { hash } from 'node:crypto'
import { type Field, shownValue, type Typed } from './fields.ts'
import { typedIn } from './typed.ts'

/** What stands for the values that a form showed, by the names of parameters. */
export type ShownFields = ReadonlyMap<string, string>

/** Fields that nobody types into. An empty password stays as it is. */
const UNTYPED: ReadonlySet<Field['is']> = new Set(['hidden', 'file'])

/** Characters of a digest: enough to tell one value from another. */
const LENGTH = 12

export const shownIn = (fields: readonly Field[]): ShownFields =>
  digests(fields.filter(({ is }) => !UNTYPED.has(is)).map((field) => [field.name, untouched(field)]))

/** As the form tells it in a field, and back. */
export const shownText = (shown: ShownFields): string => new URLSearchParams([...shown]).toString()
export const readShown = (text: string): ShownFields => new Map(new URLSearchParams(text))

/** The parameters that whoever sent the form has changed. */
export function changedOf(
  parameters: Readonly<Record<string, unknown>>,
  shown: ShownFields,
): ReadonlySet<string> {
  const typed = typedDigests(parameters)
  return new Set(
    Object.keys(parameters).filter((name) => !shown.has(name) || typed.get(name) !== shown.get(name)),
  )
}

/** Whether somebody else has changed one of them to something else meanwhile. @param now what the page shows now */
export function isOvertaken(
  parameters: Readonly<Record<string, unknown>>,
  shown: ShownFields,
  now: ShownFields,
): boolean {
  const typed = typedDigests(parameters)
  return [...changedOf(parameters, shown)].some((name) => {
    const current = now.get(name)
    return shown.has(name) && current !== shown.get(name) && current !== typed.get(name)
  })
}

const typedDigests = (parameters: Readonly<Record<string, unknown>>): ShownFields =>
  digests([...typedIn(parameters)])

/** Fields that are nested in one parameter are one value. */
function digests(values: readonly (readonly [name: string, value: Typed])[]): ShownFields {
  const byParameter = Map.groupBy(values, ([name]) => parameterOf(name))
  return new Map(
    [...byParameter].map(([name, some]) => {
      // Lists begin with an empty value, so that an empty one is sent, too.
      const text = some.map(([full, value]) => [full, ...value.filter((one) => one !== '').toSorted()])
      return [name, hash('sha256', JSON.stringify(text.toSorted(byName)), 'base64url').slice(0, LENGTH)]
    }),
  )
}

const byName = ([a = '']: Typed, [b = '']: Typed): number => (a < b ? -1 : 1)

/** `a[b]` is nested in `a`. */
export const parameterOf = (name: string): string => name.replace(/\[.*$/s, '')

/** What a browser sends of a field that nobody touches. */
function untouched(field: Field): Typed {
  const { is, value, options = [] } = field
  if (is === 'check') return [String(value === true)]
  if (is === 'password') return ['']
  if (is === 'choices') return Array.isArray(value) ? value : []
  const text = shownValue(field, undefined)
  // Without a value, the first is chosen.
  if (is === 'choice' && text === '' && options.every((one) => one.value !== ''))
    return [options[0]?.value ?? '']
  if (is === 'lines' || is === 'markup') return [text.replaceAll(/\r\n?/g, '\n')]
  return [text.replaceAll(/[\r\n]/g, '')]
}
