import { notFound } from '#platform/refusals.ts'
import { isSemanticVersion } from '../semantic-versions.ts'

/** A module in the repository of a project. */
export interface ModulePath {
  /** As `go.mod` has it. */
  readonly path: string
  /** The folder in the repository; blank for the root. */
  readonly folder: string
  /** The major version of its versions from 2 on; undefined where it may be 0 or 1. */
  readonly major: number | undefined
}

/** Capital letters are written as an exclamation mark and the small letter, also in versions (`go help goproxy`). */
export function unescaped(text: string): string {
  if (/[A-Z]|!(?![a-z])/.test(text)) throw notFound('Module')
  return text.replaceAll(/!([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * Reads the path of a module: a host, the path of the project, perhaps a folder, and `/vN` from the second major version on.
 * @param escaped as clients send it
 * @throws 404 for the module of another project
 */
export function readModulePath(escaped: string, projectPath: string): ModulePath {
  const path = unescaped(escaped)
  const [host = '', ...parts] = path.split('/')
  const rest = parts.join('/')
  const isHere = rest === projectPath || rest.startsWith(`${projectPath}/`)
  if (!host.includes('.') || !isHere || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw notFound('Module')
  const [, below = '', suffix] = /^(.*?)(?:\/v([2-9]|[1-9]\d+))?$/.exec(rest.slice(projectPath.length)) ?? []
  return { path, folder: below.replace(/^\//, ''), major: suffix === undefined ? undefined : Number(suffix) }
}

/** Whether a name is a version that a module may have: semantic, without build metadata. */
export function isVersionOf({ major }: Pick<ModulePath, 'major'>, version: string): boolean {
  if (!version.startsWith('v') || version.includes('+') || !isSemanticVersion(version.slice(1))) return false
  const number = Number.parseInt(version.slice(1), 10)
  return major === undefined ? number < 2 : number === major
}

/** The name of the tag of a version: folders come first. */
export const tagOf = ({ folder }: Pick<ModulePath, 'folder'>, version: string): string =>
  folder === '' ? version : `${folder}/${version}`
