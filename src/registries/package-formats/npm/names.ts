import { invalid } from '#platform/refusals.ts'
import { isSemanticVersion } from '../semantic-versions.ts'

/** A name as new packages of npm may have it: at most 214 characters, in lower case, perhaps in a scope. */
const NAME = /^(?:@[a-z\d-][\w.~-]*\/)?[a-z\d-][a-z\d._~-]*$/
const MOST_NAME = 214

const RESERVED = new Set(['node_modules', 'favicon.ico'])

/** @throws 400 for a name that npm refuses as well */
export function assertName(name: string): void {
  if (name.length > MOST_NAME || !NAME.test(name) || name.includes('..') || RESERVED.has(name))
    throw invalid({ name: ['is invalid'] })
}

/** @throws 400 for what is no semantic version */
export function assertVersion(version: string): void {
  if (!isSemanticVersion(version)) throw invalid({ version: ['is no semantic version'] })
}

/** A name for a version: no version itself, and no range of them. @throws 400 */
export function assertTag(tag: string): void {
  if (!/^[A-Za-z][\w.~-]{0,254}$/.test(tag) || /^[vx]?\d/i.test(tag) || tag === 'x' || tag === 'X')
    throw invalid({ tag: ['is invalid'] })
}

/** What the file of a version is called. */
export const fileNameOf = (name: string, version: string): string => `${name}-${version}.tgz`
