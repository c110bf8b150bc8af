import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from './built.js'

/** `app.get('/projects/:id/labels', …`, whatever stands in for its beginning. */
const ROUTE = /\bapp\.(?:get|post|put|patch|delete|head|route)\(\s*(?:`|')([^`']+)(?:`|')/g

/**
 * Regular expressions for the paths of the routes that folders declare. Where a path is put together, a folder has the name
 * of its resource in the API.
 * @param folders paths below the root of the project.
 */
export function pathsIn(folders: readonly string[]): string[] {
  const found = folders.flatMap((folder) => {
    const files = globSync(`${folder}/*.ts`, { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
    const texts = files.map((file) => readFileSync(join(root, file), 'utf8'))
    if (!texts.some((text) => /\bapp\.(get|post|put|patch|delete|head|route)\b/.test(text))) return []
    const declared = texts
      .flatMap((text) => [...text.matchAll(ROUTE)].map(([, path = '']) => patternOf(path)))
      .filter((pattern) => /\/\w/.test(pattern))
    return [...declared, `/${basename(folder).replaceAll('-', '_')}(/|$)`]
  })
  return [...new Set(found)].toSorted()
}

const patternOf = (path: string) =>
  `${path
    .split(/\$\{[^}]*\}/)
    .map(escape)
    .join('.*')}$`
const escape = (text: string) => text.replaceAll(/[.*+?^()|[\]\\{}$]/g, String.raw`\$&`)
