import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { runningConnection } from '#platform/db/embedded/running.ts'
import { openDb, openPool } from '#platform/db/pool.ts'
import { Client } from '../client.ts'
import { type Clone, GitClient } from '../git-client.ts'

const TOKEN = 'glpat-the-token-of-the-crash-tests'
const script = fileURLToPath(new URL('server.ts', import.meta.url))
/** Each takes two seconds. More find more: `CRASHES=20`. */
const crashes = Number(process.env['CRASHES'] ?? 3)
const LANES = 3

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function start(data: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [script], {
    env: { PATH: process.env['PATH'], FORGELET_DATA: data, FORGELET_PORT: '0', FORGELET_ROOT_TOKEN: TOKEN },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`Forgelet ended with ${String(code)}`))),
  ])
  return { child, url: JSON.parse(String(line)).url }
}

/** Ends the server, its database and every git process that works below the data folder, all at once. */
async function killEverything(child: ChildProcess, data: string): Promise<void> {
  const postmaster = await readFile(join(data, 'postgresql', 'postmaster.pid'), 'utf8').catch(() => '')
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  const pids = [...(await workingBelow(join(data, 'repositories'))), Number(postmaster.split('\n')[0])]
  for (const pid of pids.filter((pid) => pid > 1)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  await exited
}

async function workingBelow(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) =>
      (await readlink(`/proc/${pid}/cwd`).catch(() => '')).startsWith(folder) ? [Number(pid)] : [],
    ),
  )
  return found.flat()
}

/** Commits and pushes one after the other on a branch of its own; knows what was acknowledged. */
async function pushUntil(
  work: Clone,
  branch: string,
  stopped: () => boolean,
  acknowledged: Map<string, string>,
) {
  for (let count = 0; !stopped(); count += 1) {
    const id = await work.commit({ [`${branch}.txt`]: `${count} ${Math.random()}` }, `${branch} ${count}`)
    const { code } = await work.try('push', '--quiet', 'origin', `HEAD:refs/heads/${branch}`)
    if (code === 0) acknowledged.set(branch, id)
    else await work.try('fetch', '--quiet', 'origin')
  }
}

describe('when everything is killed during pushes', () => {
  test(
    `${crashes} times: nothing acknowledged is lost, references and database agree, each push is recorded once`,
    { timeout: 30_000 + crashes * 15_000 },
    async () => {
      const data = await mkdtemp(join(tmpdir(), 'forgelet-crash-'))
      await chmod(data, 0o711)
      cleanups.push(() => rm(data, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
      const client = await GitClient.open()
      cleanups.push(() => client[Symbol.asyncDispose]())
      let server = await start(data)
      cleanups.push(() => killEverything(server.child, data))
      const { body } = await new Client(server.url, { 'private-token': TOKEN }).post('/projects', {
        name: 'crash',
      })
      const url = () => `${server.url.replace('://', `://x:${TOKEN}@`)}/root/crash.git`
      const lanes = await Promise.all(
        Array.from({ length: LANES }, (_, lane) => client.init(url(), `lane-${lane}`)),
      )
      const acknowledged = new Map<string, string>()
      for (let crash = 0; crash < crashes; crash += 1) {
        for (const lane of lanes) await lane.run('remote', 'set-url', 'origin', url())
        let stopped = false
        const pushing = lanes.map((lane, index) =>
          pushUntil(lane, `branch-${index}`, () => stopped, acknowledged),
        )
        await new Promise((resolve) => setTimeout(resolve, 700 + Math.random() * 1_000))
        await killEverything(server.child, data)
        stopped = true
        await Promise.all(pushing)
        server = await start(data)
        await expectAgreement(data, body.id, acknowledged)
      }
      expect(acknowledged.size).toBe(LANES)
    },
  )
})

const run = promisify(execFile)

async function expectAgreement(
  data: string,
  project: number,
  acknowledged: ReadonlyMap<string, string>,
): Promise<void> {
  const address = await runningConnection({ dataDir: data, secretKey: undefined })
  if (address === undefined) throw new Error('the database does not run')
  const db = openDb(openPool(address, 1))
  try {
    const row = await db
      .selectFrom('repositories')
      .select(['id', 'relative_path', 'branch_count', 'default_branch', 'last_commit_sha'])
      .where('project_id', '=', project)
      .executeTakeFirstOrThrow()
    const folder = join(data, 'repositories', row.relative_path)
    const git = async (...args: string[]) => (await run('git', ['-C', folder, ...args])).stdout.trim()
    await git('fsck', '--full', '--strict', '--no-dangling')
    const lines = (await git('for-each-ref', '--format=%(refname:lstrip=2) %(objectname)')).split('\n')
    const branches = new Map(
      lines.filter((line) => line !== '').map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']),
    )
    expect(row.branch_count).toBe(branches.size)
    if (row.default_branch !== null) expect(branches.get(row.default_branch)).toBe(row.last_commit_sha)
    const { rows } = await sql<{ ref: string; to: string }>`
      select details ->> 'ref' as ref, details ->> 'commit_to' as "to" from facts where name = 'references pushed' order by id`.execute(
      db,
    )
    const pending = await db
      .selectFrom('reference_changes')
      .select('id')
      .where('state', '=', 'pending')
      .execute()
    expect(pending).toEqual([])
    for (const [branch, tip] of branches) {
      const recorded = rows.filter(({ ref }) => ref === branch).map(({ to }) => to)
      expect(recorded.at(-1)).toBe(tip)
      expect(new Set(recorded).size).toBe(recorded.length)
      const reached = (await git('rev-list', tip)).split('\n')
      // Somebody whose answer was lost may push several commits at once the next time.
      expect(recorded.filter((id) => !reached.includes(id))).toEqual([])
      const known = acknowledged.get(branch)
      if (known === undefined) continue
      expect(reached).toContain(known)
      expect(recorded).toContain(known)
    }
  } finally {
    await db.destroy()
  }
}
