/**
 * Names with brackets, as forms and query strings carry arrays and hashes: `a[]=1`, `h[k]=v`, `h[0][k]=v`,
 * `h[][k]=v` (a repeated key starts the next element). "Conventions", item 3 of the specification.
 */

export type Nested = string | Attachment | Nested[] | { [key: string]: Nested }

/** What a multipart part may hold instead of text. */
export interface Attachment {
  readonly filename: string
  readonly mediaType: string
  readonly data: Buffer
}

/** The names contradict each other (`a=1&a[b]=2`), nest too deep, or are too many. */
export class UnreadableNames extends Error {
  override readonly name = 'UnreadableNames'
}

type Branch = { [key: string]: Nested }

const MAX_DEPTH = 16
/** The names of one request, however they are sent. */
export const MAX_PAIRS = 5_000

/** Builds one value from pairs of names and values, in order. Of equal names the last wins. */
export function nest(pairs: Iterable<readonly [string, string | Attachment]>): Branch {
  const root = branch()
  let count = 0
  for (const [name, value] of pairs) {
    count += 1
    if (count > MAX_PAIRS) throw new UnreadableNames(`more than ${MAX_PAIRS} parameters`)
    const steps = split(name)
    if (steps.length > MAX_DEPTH) throw new UnreadableNames(`${name.slice(0, 40)}… nests too deep`)
    put(root, steps, value)
  }
  return root
}

/** `h[0][k]` → `h`, `0`, `k`. An unclosed bracket belongs to the name. */
function split(name: string): string[] {
  const start = name.indexOf('[')
  if (start <= 0 || !name.endsWith(']')) return [name]
  return [name.slice(0, start), ...name.slice(start + 1, -1).split('][')]
}

function put(into: Branch, steps: readonly string[], value: string | Attachment): void {
  const [key = '', next, ...rest] = steps
  if (next === undefined) {
    into[key] = value
  } else if (next === '') {
    const items = (into[key] ??= [])
    if (!Array.isArray(items)) throw contradiction(key)
    if (rest.length === 0) items.push(value)
    else put(elementFor(items, rest), rest, value)
  } else {
    const inner = (into[key] ??= branch())
    if (!isBranch(inner)) throw contradiction(key)
    put(inner, [next, ...rest], value)
  }
}

/** The last element of `h[][…]`, or a new one when the last already has the key. */
function elementFor(items: Nested[], [key = '', next]: readonly string[]): Branch {
  const last = items.at(-1)
  const takes = isBranch(last) && (!(key in last) || next === '')
  if (takes) return last
  const fresh = branch()
  items.push(fresh)
  return fresh
}

/** Has no prototype, so that `__proto__` is a name like any other. */
function branch(): Branch {
  return Object.create(null)
}

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
}

function contradiction(key: string): UnreadableNames {
  return new UnreadableNames(`the parameter ${key} is sent in two forms that contradict each other`)
}
