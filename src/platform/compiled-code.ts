import { statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { packageFolder } from './package.ts'

/**
 * Keeps compiled code beside the dependencies if we own that folder. The next start then takes half the time, and finds
 * a prepared database there. A program that scripts/start.js starts keeps it elsewhere already.
 */
export function keepCompiledCode(): void {
  const above = dirname(packageFolder)
  const folder = basename(above) === 'node_modules' ? above : join(packageFolder, 'node_modules')
  try {
    if (statSync(folder).uid === process.geteuid?.()) enableCompileCache(join(folder, '.cache', 'forgelet'))
  } catch {
    // Everything also works without it.
  }
}
