import { isObject } from './report.ts'

/** The names and indexes that lead to a value in a payload. */
export type Path = readonly (string | number)[]

const MOST_STEPS = 20
const STEP = /\.?([\p{L}\p{N}_$@-]+)|\[(\d{1,6})\]|\[(?:'([^']*)'|"([^"]*)")\]/uy

/**
 * Reads a path such as `event.name`, `$.items[0].id` or `labels['a b']`.
 * @returns undefined for what is no path.
 */
export function readPath(text: string): Path | undefined {
  const trimmed = text.trim().replace(/^\$(?=[.[])\.?/, '')
  const path: (string | number)[] = []
  STEP.lastIndex = 0
  while (STEP.lastIndex < trimmed.length) {
    const start = STEP.lastIndex
    const found = STEP.exec(trimmed)
    if (found === null) return undefined
    // Names after the first need a dot.
    if (start > 0 && found[1] !== undefined && trimmed[start] !== '.') return undefined
    if (start === 0 && trimmed.startsWith('.')) return undefined
    const [, name, index, quoted, doubled] = found
    path.push(index === undefined ? (name ?? quoted ?? doubled ?? '') : Number(index))
  }
  return path.length === 0 || path.length > MOST_STEPS ? undefined : path
}

/** The value at a path; undefined for none. */
export function valueAt(payload: unknown, path: Path): unknown {
  let value = payload
  for (const step of path) {
    if (typeof step === 'number' && Array.isArray(value)) value = value[step]
    else if (isObject(value) && Object.hasOwn(value, step)) value = value[step]
    else return undefined
  }
  return value
}

/** The payload without the values at some paths. What it shares with the original is not changed. */
export function without(payload: unknown, path: Path): unknown {
  const [step, ...rest] = path
  if (step === undefined) return undefined
  if (typeof step === 'number' && Array.isArray(payload)) {
    return payload.map((part: unknown, index) => (index === step ? (without(part, rest) ?? null) : part))
  }
  if (!isObject(payload) || !Object.hasOwn(payload, step)) return payload
  const { [step]: part, ...others } = payload
  const left = without(part, rest)
  return left === undefined ? others : { ...others, [step]: left }
}
