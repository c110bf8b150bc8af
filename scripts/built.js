// @ts-check
// Where the built program is, and whether it is that of the present sources. `npm start` asks this each time, so it looks
// at names, sizes and times of files only, and is plain JavaScript, which Node.js need not strip of types.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
/** Each build has a folder of its own, so that a program that runs finds its files while the next one is built. */
export const builds = join(root, 'build')

/** What a build depends on besides the sources. npm writes the last one whenever it installs. */
const others = [
  'package.json',
  'scripts/build.js',
  'scripts/bundle.ts',
  'scripts/describe-api.ts',
  'node_modules/.package-lock.json',
].map((file) => join(root, ...file.split('/')))

/** The folder of the build of the present sources, whether or not it exists. */
export function currentBuild() {
  const hash = createHash('sha256')
  for (const file of [...others, ...sourcesBelow(join(root, 'src'))]) {
    const { size, mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 }
    hash.update(`${file}\n${size} ${mtimeMs}\n`)
  }
  return join(builds, hash.digest('hex').slice(0, 12))
}

/** @param {string} build */
export const isBuilt = (build) => existsSync(join(build, 'main.js'))

/** Whether the bundler is installed and has a place to write to. */
export function canBuild() {
  try {
    accessSync(root, constants.W_OK)
    return existsSync(join(root, 'node_modules', 'rolldown'))
  } catch {
    return false
  }
}

/** Nobody else may have put code there that we keep. @param {string} build */
export const isOurs = (build) => statSync(build).uid === process.geteuid?.()

/** The build of the present sources, which it makes where it is missing; undefined where that is impossible. */
export function buildNow() {
  const build = currentBuild()
  if (!isBuilt(build) && canBuild()) {
    const script = fileURLToPath(new URL('build.js', import.meta.url))
    // Its output is no part of the log on standard output.
    spawnSync(process.execPath, [script], { cwd: root, stdio: ['ignore', 2, 2] })
  }
  return isBuilt(build) ? build : undefined
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function sourcesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sourcesBelow(path)
    return entry.name.endsWith('.test.ts') ? [] : [path]
  })
}
