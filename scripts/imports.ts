import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './built.js'

/** They import the whole program: through them, everything is near to everything. */
const WHOLE = ['src/app.ts', 'test/world.ts']

/** What a file loads at run time: of types alone, the compiler takes care. */
const IMPORT = /^(?:import|export)(?! type\b)[^;'"]*?from '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(IMPORT)].flatMap(([, from, later, plain]) => {
    const name = from ?? later ?? plain ?? ''
    if (name.startsWith('#test/')) return [name.slice(1)]
    if (name.startsWith('#')) return [join('src', name.slice(1))]
    return name.startsWith('.') ? [join(dirname(file), name)] : []
  })
}

/**
 * How many imports lie between files and what changed.
 * @param changed paths below the root of the project.
 * @returns the distance of each file that reaches any of them, by its path.
 */
export function distancesFrom(changed: readonly string[]): ReadonlyMap<string, number> {
  const importers = new Map<string, string[]>()
  for (const file of globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: root }))
    for (const imported of importsOf(file)) {
      const known = importers.get(imported)
      if (known === undefined) importers.set(imported, [file])
      else known.push(file)
    }
  const distances = new Map(changed.map((file) => [file, 0]))
  const queue = [...changed]
  for (const file of queue) {
    if (WHOLE.includes(file) && !changed.includes(file)) continue
    for (const importer of importers.get(file) ?? []) {
      if (distances.has(importer)) continue
      distances.set(importer, (distances.get(file) ?? 0) + 1)
      queue.push(importer)
    }
  }
  return distances
}
