import { invalid } from '#platform/refusals.ts'

/** A name as new packages of npm may have it: at most 214 characters, in lower case, perhaps in a scope. */
const NAME = /^(?:@[a-z\d-][\w.~-]*\/)?[a-z\d-][a-z\d._~-]*$/
const MOST_NAME = 214

/** A version by Semantic Versioning 2.0.0. */
const VERSION =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][\dA-Za-z-]*))*)?(?:\+[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/

const RESERVED = new Set(['node_modules', 'favicon.ico'])

/** @throws 400 for a name that npm refuses as well */
export function assertName(name: string): void {
  if (name.length > MOST_NAME || !NAME.test(name) || name.includes('..') || RESERVED.has(name))
    throw invalid({ name: ['is invalid'] })
}

/** @throws 400 for what is no semantic version */
export function assertVersion(version: string): void {
  if (version.length > 255 || !VERSION.test(version)) throw invalid({ version: ['is no semantic version'] })
}

/** A name for a version: no version itself, and no range of them. @throws 400 */
export function assertTag(tag: string): void {
  if (!/^[A-Za-z][\w.~-]{0,254}$/.test(tag) || /^[vx]?\d/i.test(tag) || tag === 'x' || tag === 'X')
    throw invalid({ tag: ['is invalid'] })
}

/** What the file of a version is called. */
export const fileNameOf = (name: string, version: string): string => `${name}-${version}.tgz`

/** Which of two versions comes first, by Semantic Versioning 2.0.0 §11: negative, zero or positive. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)]
  for (const [index, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[index] ?? 0)
    if (difference !== 0) return difference
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length
  for (let index = 0; index < Math.max(a.pre.length, b.pre.length); index += 1) {
    const difference = compareIdentifiers(a.pre[index], b.pre[index])
    if (difference !== 0) return difference
  }
  return 0
}

function partsOf(version: string) {
  const [precedence = ''] = version.split('+')
  const dash = precedence.indexOf('-')
  const [core, pre] = dash === -1 ? [precedence, ''] : [precedence.slice(0, dash), precedence.slice(dash + 1)]
  return { numbers: core.split('.').map(Number), pre: pre === '' ? [] : pre.split('.') }
}

function compareIdentifiers(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return one === other ? 0 : one === undefined ? -1 : 1
  const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
  if (isNumber && isOtherNumber) return Number(one) - Number(other)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return one < other ? -1 : one > other ? 1 : 0
}
