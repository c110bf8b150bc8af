import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where scripts are served, by the names of their files. */
export const SCRIPTS = '/-/islands/'

/** The scripts that pages name. Each is a file `*.island.ts` in this folder; some load others. */
export const islands = {
  completing: `${SCRIPTS}completing.js`,
  editor: `${SCRIPTS}editor.js`,
  liveLog: `${SCRIPTS}live-log.js`,
  highlight: `${SCRIPTS}highlight.js`,
  people: `${SCRIPTS}people.js`,
  tasks: `${SCRIPTS}tasks.js`,
  times: `${SCRIPTS}times.js`,
  viewed: `${SCRIPTS}viewed.js`,
  writing: `${SCRIPTS}writing.js`,
} as const

/** A script by the name of its file, as browsers read it; undefined for a name that none has. */
export type Scripts = (name: string) => string | undefined

/** The scripts of the bundle, or where there is none, the sources without their types. */
export function findScripts(): Scripts {
  const built = builtScripts(join(import.meta.dirname, 'islands'))
  if (built !== undefined) return built
  let sources: ReadonlyMap<string, string> | undefined
  return (name) => (sources ??= sourceScripts()).get(name)
}

/** Files of a folder, each read when it is first asked for; undefined if there is no such folder. */
function builtScripts(folder: string): Scripts | undefined {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return undefined
  }
  const scripts = new Map<string, string>()
  return (name) => {
    if (!names.includes(name)) return undefined
    const script = scripts.get(name) ?? readFileSync(join(folder, name), 'utf8')
    scripts.set(name, script)
    return script
  }
}

/** All scripts with what they import, also from packages, so that nothing has to be built to try them. */
function sourceScripts(): ReadonlyMap<string, string> {
  const { stripTypeScriptTypes } = process.getBuiltinModule('node:module')
  const scripts = new Map<string, string>()
  /** @returns the name that the module is served by */
  const add = (module: URL): string => {
    const name = servedAs(module)
    if (scripts.has(name)) return name
    const text = readFileSync(module, 'utf8')
    scripts.set(name, text) // Modules may import each other.
    scripts.set(name, withServedImports(source(module, text), module, add))
    return name
  }
  const source = ({ pathname }: URL, text: string) =>
    pathname.endsWith('.ts') ? stripTypeScriptTypes(text) : text
  for (const name of readdirSync(import.meta.dirname))
    if (name.endsWith('.island.ts')) add(new URL(name, import.meta.url))
  return scripts
}

/** `editor.island.ts` is `editor.js`; modules of packages have the name of the package in theirs. */
const servedAs = ({ pathname }: URL): string =>
  pathname.includes(PACKAGES)
    ? pathname.slice(pathname.lastIndexOf(PACKAGES) + PACKAGES.length).replaceAll('/', '+')
    : pathname.slice(pathname.lastIndexOf('/') + 1).replace(/(?:\.island)?\.ts$/, '.js')

const PACKAGES = '/node_modules/'

/** Statements and calls that import. */
const IMPORTED = /(\bfrom\s*|\bimport\s*\(\s*|^import\s+)(["'])([^"'\n]+)\2/gm

/** Leads the imports of a module to where we serve what they name. @param add hears of each, and names it */
const withServedImports = (script: string, importer: URL, add: (module: URL) => string): string =>
  script.replace(IMPORTED, (whole, before: string, quote: string, specifier: string) => {
    const module = moduleOf(specifier, importer)
    // Words of a text may look like an import.
    return module === undefined ? whole : `${before}${quote}./${add(module)}${quote}`
  })

/** The file that a module imports; undefined if there is none. */
function moduleOf(specifier: string, importer: URL): URL | undefined {
  try {
    const url = specifier.startsWith('.')
      ? new URL(specifier, importer)
      : new URL(import.meta.resolve(specifier))
    return url.protocol === 'file:' && existsSync(url) ? url : undefined
  } catch {
    return undefined
  }
}
