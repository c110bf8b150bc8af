import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The scripts of pages, and where they are served. Each is a file `*.island.ts` in this folder. */
export const islands = {
  liveLog: '/-/islands/live-log.js',
  highlight: '/-/islands/highlight.js',
} as const

/** The library that colors code, as a package and as it is served. */
const LIBRARY = '@highlightjs/cdn-assets/es/highlight.min.js'
const libraryAt = '/-/islands/highlight-library.js'

/** What islands import, which the bundle has in them. */
const parts = ['/-/islands/ansi.js', libraryAt]

export const served: readonly string[] = [...Object.values(islands), ...parts]

/** A script as browsers read it: from the bundle, or from its source without its types. */
export function scriptAt(address: string): string | undefined {
  const name = address.slice(address.lastIndexOf('/') + 1)
  const built = join(import.meta.dirname, name)
  if (existsSync(built)) return readFileSync(built, 'utf8')
  const source = ['.island.ts', '.ts']
    .map((ending) => built.replace(/\.js$/, ending))
    .find((path) => existsSync(path))
  if (source !== undefined) return asScript(readFileSync(source, 'utf8'))
  // Only the sources ask for it, and they have the package.
  return address === libraryAt && existsSync(built.replace(/-library\.js$/, '.island.ts'))
    ? readFileSync(fileURLToPath(import.meta.resolve(LIBRARY)), 'utf8')
    : undefined
}

function asScript(source: string): string {
  const { stripTypeScriptTypes } = process.getBuiltinModule('node:module')
  return stripTypeScriptTypes(source)
    .replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'")
    .replaceAll(LIBRARY, './highlight-library.js')
}
