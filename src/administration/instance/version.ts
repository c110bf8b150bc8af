import { readFileSync } from 'node:fs'

/**
 * The version of the API for clients, which compare it to know what they may use. `-ee` says that the licensed areas of
 * the Premium and Ultimate plans exist; the license decides whether they may be used.
 */
export const API_VERSION = '18.6.0-ee'

/** The version of this program, from its package. */
export const packageVersion = readPackage().version

function readPackage(): { version: string } {
  const found: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  const isPackage = (value: unknown): value is { version: string } =>
    typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'string'
  if (!isPackage(found)) throw new Error('package.json names no version')
  return found
}
