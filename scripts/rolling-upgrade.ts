// Updates an instance node by node, as its operators do: a server of an earlier version answers requests, one of this
// version starts beside it and migrates their database, and both go on. Fails when any answer is a 5xx or none. A backup that the
// earlier version makes before is restored by this one, and must have the same projects and issues.
//   node scripts/rolling-upgrade.ts [REVISION]
// The earlier version is a revision of this repository: the one named, else the one in .ci/upgrade-base. That is the first
// one in which notes are on noteables (migration 0026): earlier ones are stopped before the update.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type EmbeddedDatabase, startEmbedded } from '#platform/db/embedded/index.ts'
import { readMigrations } from '#platform/db/migration-files.ts'
import { temporaryFolder } from '../src/platform/temporary-folder.ts'
import { type Counts, type Instance, load, prepareInstance } from './rolling-upgrade-load.ts'

const root = join(import.meta.dirname, '..')
const TOKEN = 'glpat-the-root-token-of-the-update'
/** Milliseconds of requests before the new version starts, and after it is ready. */
const BEFORE = 2_000
const AFTER = 6_000

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

function skip(reason: string): never {
  console.log(`SKIPPED: ${reason}`)
  process.exit(0)
}

function baseCommit(): string {
  const wanted = process.argv[2] ?? readFileSync(join(root, '.ci/upgrade-base'), 'utf8').trim()
  try {
    return git('rev-parse', '--verify', '--quiet', `${wanted}^{commit}`)
  } catch {
    return skip(`this copy has no revision ${wanted} to update from`)
  }
}

/** The files of a revision, with what it depends on. */
function checkOut(commit: string, folder: string): void {
  git('worktree', 'add', '--detach', '--force', folder, commit)
  const lock = (tree: string) => readFileSync(join(tree, 'package-lock.json'), 'utf8')
  if (lock(folder) === lock(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  else
    execFileSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--silent'], {
      cwd: folder,
      stdio: 'inherit',
    })
}

interface Node {
  readonly name: string
  readonly url: string
  readonly process: ChildProcess
}

async function start(name: string, tree: string, environment: NodeJS.ProcessEnv): Promise<Node> {
  const child = spawn(process.execPath, [join(tree, 'src/main.ts')], {
    cwd: tree,
    env: { PATH: process.env['PATH'], ...environment, FORGELET_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  for (;;) {
    const [, url] = /ready on (http:\S+) in/.exec(output) ?? []
    if (url !== undefined) return { name, url, process: child }
    if (child.exitCode !== null) throw new Error(`${name} did not start:\n${output}`)
    await pause(20)
  }
}

/** Runs a command of a version to its end. @throws with what it says when it fails */
function command(tree: string, args: readonly string[], environment: NodeJS.ProcessEnv): void {
  const env = { PATH: process.env['PATH'], ...environment }
  execFileSync(process.execPath, [join(tree, 'src/main.ts'), ...args], { cwd: tree, env, stdio: 'pipe' })
}

async function stop({ process: child }: Node): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

function urlOf({ connection }: EmbeddedDatabase): string {
  const { host, port, user, password, database } = connection
  return `postgres:///${database}?${new URLSearchParams({ host, port: String(port), user, password }).toString()}`
}

/** Restores a backup of the version before with this one. @returns whether every place is there */
async function restored(backup: string, { token, places }: Instance): Promise<boolean> {
  const database = await startEmbedded({ dataDir: join(place.path, 'restored'), ephemeral: true, log })
  const target = {
    ...environment,
    FORGELET_DATABASE_URL: urlOf(database),
    FORGELET_DATA: join(place.path, 'restored-data'),
  }
  try {
    command(root, ['restore', backup], target)
    const node = await start('restored', root, { ...target, FORGELET_LOG_LEVEL: 'info' })
    const counts: (string | null)[] = []
    for (const { project } of places) {
      const path = `${node.url}/api/v4/projects/${project}/issues`
      counts.push((await fetch(path, { headers: { 'private-token': token } })).headers.get('x-total'))
    }
    await stop(node)
    const fine = places.every(({ issues }, index) => counts[index] === String(issues.length))
    console.log(`a backup of the version before, restored: ${fine ? 'all is there' : counts.join(' ')}`)
    return fine
  } finally {
    await database.stop()
  }
}

function report(name: string, { requests, failures }: Counts): boolean {
  console.log(`${name}: ${requests} requests, ${failures.size === 0 ? 'none failed' : 'of which failed:'}`)
  for (const [what, times] of failures) console.log(`  ${times} × ${what}`)
  return requests > 0 && failures.size === 0
}

const commit = baseCommit()
await using cleanup = new AsyncDisposableStack()
const place = cleanup.use(await temporaryFolder())
const before = join(place.path, 'before')
checkOut(commit, before)
cleanup.defer(() => {
  rmSync(join(before, 'node_modules'), { recursive: true, force: true })
  git('worktree', 'remove', '--force', before)
})

/** Where the database's part of the program is: it was elsewhere in earlier versions. */
const databaseFolder = ['src/platform/db', 'src/db'].map((path) => join(before, path)).find(existsSync)
if (databaseFolder === undefined) throw new Error(`${commit} has no migrations where they are looked for`)
const known = readdirSync(join(databaseFolder, 'migrations')).filter((name) => name.endsWith('.sql')).length
const migrations = (await readMigrations()).slice(known)
const breaking = migrations.find(({ breaksRollingUpgrade }) => breaksRollingUpgrade !== undefined)
if (breaking !== undefined) {
  await cleanup.disposeAsync()
  skip(`${breaking.file} says that it breaks rolling upgrades: ${breaking.breaksRollingUpgrade}`)
}

const log = { info() {}, warn() {}, error: console.error }
const database = await startEmbedded({ dataDir: join(place.path, 'database'), ephemeral: true, log })
cleanup.defer(() => database.stop())
const environment = {
  FORGELET_DATABASE_URL: urlOf(database),
  FORGELET_DATA: join(place.path, 'data'),
  FORGELET_SECRET_KEY: 'the master key of both versions, long enough',
  FORGELET_ROOT_TOKEN: TOKEN,
  FORGELET_LOG_LEVEL: 'error',
}
console.log(`from ${commit.slice(0, 10)} by ${migrations.length} migrations`)
const nodes: Node[] = []
cleanup.defer(async () => void (await Promise.all(nodes.map(stop))))
const old = await start('the version before', before, { ...environment, FORGELET_LOG_LEVEL: 'info' })
nodes.push(old)
const instance = await prepareInstance(old.url, TOKEN, 2)
const backup = join(place.path, 'earlier.backup')
const canBackUp = existsSync(join(before, 'src/program/backup'))
if (canBackUp) command(before, ['backup', backup], environment)
else console.log('SKIPPED: the version before makes no backups')
const ending = new AbortController()
const oldLoad = load(old.url, instance, 0, ending.signal)
await pause(BEFORE)
const fresh = await start('this version', root, { ...environment, FORGELET_LOG_LEVEL: 'info' })
nodes.push(fresh)
const freshLoad = load(fresh.url, instance, 1, ending.signal)
if (existsSync(join(databaseFolder, 'migration-files.ts'))) {
  const needs = Math.max(known, ...migrations.map(({ worksWith }) => worksWith))
  if (needs <= known)
    nodes.push(
      await start('the version before, once more', before, { ...environment, FORGELET_LOG_LEVEL: 'info' }),
    )
}
await pause(AFTER)
ending.abort()
const fine = [report(old.name, await oldLoad), report(fresh.name, await freshLoad)]
if (canBackUp) fine.push(await restored(backup, instance))
await cleanup.disposeAsync()
process.exit(fine.every(Boolean) ? 0 : 1)
