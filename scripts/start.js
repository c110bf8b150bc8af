// @ts-check
// What `npm start` runs: the built program, which takes a third of the time to load. Builds it first when it is missing or
// its sources have changed, and runs the sources where that is impossible: in a folder that others own, or without the
// bundler.
import { spawnSync } from 'node:child_process'
import { enableCompileCache } from 'node:module'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { canBuild, currentBuild, isBuilt, root } from './built.js'

const parent = process.ppid
const build = currentBuild()
if (!isBuilt(build) && canBuild()) {
  const script = fileURLToPath(new URL('build.js', import.meta.url))
  // Its output is no part of the log on standard output.
  spawnSync(process.execPath, [script], { cwd: root, stdio: ['ignore', 2, 2] })
}
// npm runs this by a shell, which passes no signal on: whoever ended npm meanwhile wanted to end this as well.
if (process.ppid !== parent && process.env['npm_lifecycle_event'] !== undefined) process.exit(1)
if (isBuilt(build)) {
  // Beside the code, so that it goes with it. Nobody else may have put it there.
  if (statSync(build).uid === process.geteuid?.()) enableCompileCache(join(build, 'compiled'))
  await import(pathToFileURL(join(build, 'main.js')).href)
} else {
  await import('../src/main.ts')
}
