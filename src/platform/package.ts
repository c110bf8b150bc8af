import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

// package.json names itself in its `imports`, so it is found from the sources, a bundle and a package alike.
const file = createRequire(import.meta.url).resolve('#package.json')

/** The folder with package.json. */
export const packageFolder = dirname(file)

/** The version of this program. */
export function packageVersion(): string {
  const found: unknown = JSON.parse(readFileSync(file, 'utf8'))
  const isPackage = (value: unknown): value is { version: string } =>
    typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'string'
  if (!isPackage(found)) throw new Error('package.json names no version')
  return found.version
}
