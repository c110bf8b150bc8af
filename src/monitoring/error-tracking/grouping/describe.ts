import type { Frame, ReducedEvent } from '../collector/event.ts'

/** How people know an error. */
export interface ErrorDescription {
  readonly type: string | null
  readonly title: string
  /** Where it happened. */
  readonly culprit: string | null
}

const MAX = 255

/** Says what an event is, by the exception that nobody caught: the last of a chain. */
export function describe({ exceptions, message, transaction }: ReducedEvent): ErrorDescription {
  const exception = exceptions.findLast(({ type, value }) => type !== undefined || value !== undefined)
  const said = firstLine(exception?.value ?? (exception === undefined ? message : undefined) ?? '')
  const type = exception?.type ?? null
  const title = [type ?? '', said].filter((part) => part !== '').join(': ')
  const frames = exceptions.at(-1)?.frames ?? []
  const frame = frames.findLast(({ in_app }) => in_app === true) ?? frames.at(-1)
  return {
    type: type === null ? null : cut(type),
    title: cut(title === '' ? '(without a message)' : title),
    culprit: frame === undefined ? (transaction ?? null) : cut(placeOf(frame)),
  }
}

const placeOf = ({ filename, module, function: name }: Frame): string => {
  const file = filename ?? module ?? 'unknown'
  return name === undefined ? file : `${file} in ${name}`
}

const firstLine = (text: string): string =>
  text
    .trim()
    .split('\n', 1)
    .map((line) => line.trim())
    .join('')

const cut = (text: string): string => (text.length > MAX ? `${text.slice(0, MAX - 1)}…` : text).toWellFormed()
