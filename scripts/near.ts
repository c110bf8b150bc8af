// `npm run near`: the tests of what changed since the last commit, or since the one that is named, nearest first. Those in
// the folders of the change come first, then those that import it, then the rows of the matrices for the routes of
// the folders that changed.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { secondsOf } from '../test/order.ts'
import { filesOf } from '../test/tiers.ts'
import { root } from './built.js'
import { distancesFrom } from './imports.ts'
import { pathsIn } from './routes-in.ts'

/** About how many seconds the tests may take together. */
const PATIENCE = 60
const MATRICES = [
  'test/access/routes.test.ts',
  'test/access/credentials.test.ts',
  'test/contract/hostile.test.ts',
]

const git = (...words: string[]) =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')

const [commit = 'HEAD'] = process.argv.slice(2)
const changed = [
  ...git('diff', '--name-only', '--relative', commit),
  ...git('ls-files', '--others', '--exclude-standard'),
].filter((file) => /^(src|test)\//.test(file))
const folders = new Set(changed.filter((file) => file.startsWith('src/')).map((file) => dirname(file)))

const distances = distancesFrom(changed)
/** How far a test is from what changed; those beside it are nearest. */
function distanceOf(test: string): number {
  if (changed.includes(test)) return 0
  if (folders.has(dirname(test))) return 1
  const below = [...folders].some((folder) => test.startsWith(`${folder}/`))
  return below ? 2 : 2 + (distances.get(test) ?? Infinity)
}

const usual = new Set(filesOf('test', []))
const all = [...new Set([...usual, ...filesOf('deep', []), ...changed.filter((f) => f.endsWith('.test.ts'))])]
const near = all
  .filter((file) => existsSync(join(root, file)) && !MATRICES.includes(file))
  .map((file) => ({ file, distance: distanceOf(file) }))
  .filter(({ distance }) => distance < Infinity)
  .toSorted((a, b) => a.distance - b.distance || secondsOf(a.file) - secondsOf(b.file))
  .map(({ file }) => file)

let left = PATIENCE
const chosen = near.filter((file, n) => {
  if (!usual.has(file) && !changed.includes(file)) return false
  left -= secondsOf(file)
  return left >= 0 || n === 0
})
const routes = pathsIn([...folders])
const files = [...chosen, ...(routes.length > 0 ? MATRICES : [])]
const others = near.filter((file) => !chosen.includes(file))
const deep = others.filter((file) => !usual.has(file))
const count = others.length - deep.length
console.log(`${changed.length} files changed; tests near them: ${chosen.length} files`)
if (routes.length > 0) console.log(`Matrices: routes like ${routes.join(', ')}`)
if (count > 0) console.log(`Left out, farther away: ${count} files, which npm test runs`)
if (deep.length > 0) console.log(`Left out: npm run test:deep -- ${deep.join(' ')}`)
if (files.length > 0) {
  // One worker shows its first result sooner than one of several, and the nearest tests first.
  const { status } = spawnSync(
    join(root, 'node_modules/.bin/vitest'),
    ['run', '--reporter=verbose', '--passWithNoTests', '--maxWorkers=1', ...files],
    { cwd: root, stdio: 'inherit', env: { ...process.env, TEST_ROUTES: JSON.stringify(routes) } },
  )
  process.exitCode = status ?? 1
}
