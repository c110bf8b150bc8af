import { type ClientPattern, filterInSlices, PatternRefused } from '#platform/client-pattern.ts'
import { changelogFailed } from './failure.ts'

/** A version as semantic versioning has it (semver.org). */
export interface Version {
  /** Major, minor and patch. */
  readonly numbers: readonly string[]
  /** What follows a dash; undefined for a stable version. */
  readonly pre: string | undefined
}

const NUMBER = '(?:0|[1-9]\\d*)'
const WORDS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*'
const VERSION = `v?(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${WORDS}))?(?:\\+${WORDS})?`
const WHOLE = new RegExp(`^${VERSION}$`)
/** The title of a section of a changelog. */
const TITLE = new RegExp(`^##[ \\t]+${VERSION}(?=\\s|$)`)

const versionIn = (found: RegExpExecArray | null): Version | undefined =>
  found === null ? undefined : { numbers: found.slice(1, 4), pre: found[4] }

/** Reads a version, with or without a `v` before it. */
export const readVersion = (text: string): Version | undefined => versionIn(WHOLE.exec(text))

/** The version in the title of a section. */
export const versionOfTitle = (line: string): Version | undefined => versionIn(TITLE.exec(line))

/** Negative when the first one is the earlier one. */
export function compareVersions(a: Version, b: Version): number {
  for (const [index, number] of a.numbers.entries()) {
    const order = compareNumbers(number, b.numbers[index] ?? '0')
    if (order !== 0) return order
  }
  if (a.pre === b.pre) return 0
  if (a.pre === undefined || b.pre === undefined) return a.pre === undefined ? 1 : -1
  return comparePre(a.pre.split('.'), b.pre.split('.'))
}

/** Numbers may be longer than those that computers count with. */
function compareNumbers(a: string, b: string): number {
  const [one, other] = [withoutZeros(a), withoutZeros(b)]
  if (one.length !== other.length) return one.length - other.length
  return one < other ? -1 : Number(one > other)
}

const withoutZeros = (digits: string): string => digits.replace(/^0+(?=\d)/, '')

function comparePre(a: readonly string[], b: readonly string[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    const isNumber = /^\d+$/.test(one)
    if (isNumber !== /^\d+$/.test(other)) return isNumber ? -1 : 1
    const order = isNumber ? compareNumbers(one, other) : one < other ? -1 : Number(one > other)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Milliseconds that a client's expression may take for all tags. */
const PATIENCE = 1_000

/**
 * The tag of the last stable version before a version.
 * @param pattern finds the version in the name of a tag; by default names are versions
 * @throws 422 when the expression takes too long
 */
export async function tagBefore(
  names: readonly string[],
  version: Version,
  pattern: ClientPattern | undefined,
): Promise<string | undefined> {
  let best: { readonly name: string; readonly version: Version } | undefined
  const look = (name: string): boolean => {
    const found = pattern === undefined ? readVersion(name) : versionBy(pattern, name)
    if (found === undefined || found.pre !== undefined || compareVersions(found, version) >= 0) return false
    if (best === undefined || compareVersions(found, best.version) > 0) best = { name, version: found }
    return false
  }
  try {
    await filterInSlices(names, look, PATIENCE)
  } catch (error) {
    throw error instanceof PatternRefused ? changelogFailed(`tag_regex ${error.message}`) : error
  }
  return best?.name
}

function versionBy(pattern: ClientPattern, name: string): Version | undefined {
  const { major, minor, patch, pre = '' } = pattern.groupsIn(name) ?? {}
  if (major === undefined || minor === undefined || patch === undefined) return undefined
  const numbers = [major, minor, patch]
  return numbers.every((one) => /^\d+$/.test(one)) ? { numbers, pre: pre || undefined } : undefined
}
