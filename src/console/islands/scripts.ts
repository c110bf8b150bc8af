import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The scripts of pages, and where they are served. Each is a file `*.island.ts` in this folder. */
export const islands = { liveLog: '/-/islands/live-log.js' } as const

/** What islands import, which the bundle has in them. */
const parts = ['/-/islands/ansi.js']

export const served: readonly string[] = [...Object.values(islands), ...parts]

/** A script as browsers read it: from the bundle, or from its source without its types. */
export function scriptAt(address: string): string | undefined {
  const name = address.slice(address.lastIndexOf('/') + 1)
  const built = join(import.meta.dirname, name)
  if (existsSync(built)) return readFileSync(built, 'utf8')
  const source = ['.island.ts', '.ts']
    .map((ending) => built.replace(/\.js$/, ending))
    .find((path) => existsSync(path))
  if (source === undefined) return undefined
  const { stripTypeScriptTypes } = process.getBuiltinModule('node:module')
  return stripTypeScriptTypes(readFileSync(source, 'utf8')).replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")
}
