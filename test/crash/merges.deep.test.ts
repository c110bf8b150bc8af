import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openDb } from '#platform/db/pool.ts'
import { Client } from '#test/client.ts'
import { dataFolder, killEverything, onDatabase, start, TOKEN } from './killing.ts'

/** Each takes some seconds. More find more: `CRASHES=20`. */
const crashes = Number(process.env['CRASHES'] ?? 2)
/** Merge requests for each crash. */
const EACH = 10

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

test(
  `killed ${crashes} times while it merges, a server has merged what git has, and says so once`,
  { timeout: 60_000 + crashes * 30_000 },
  async () => {
    const data = await dataFolder()
    let server = await start(data)
    cleanups.push(() => killEverything(server.child, data))
    let api = new Client(server.url, { 'private-token': TOKEN })
    const { body: project } = await api.post('/projects', { name: 'crash', initialize_with_readme: true })
    const acknowledged: number[] = []
    for (let crash = 0; crash < crashes; crash += 1) {
      const iids = await openMany(api, project.id, crash)
      const merging = iids.map(async (iid) => {
        const merged = await api
          .put(`/projects/${project.id}/merge_requests/${iid}/merge`)
          .catch(() => undefined)
        if (merged?.status === 200) acknowledged.push(iid)
      })
      await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 600))
      await killEverything(server.child, data)
      await Promise.all(merging)
      server = await start(data)
      api = new Client(server.url, { 'private-token': TOKEN })
      await expectAgreement(data, project.id, acknowledged)
    }
  },
)

/** Opens merge requests, each of a branch with a file of its own. @returns their numbers */
async function openMany(api: Client, project: number, crash: number): Promise<number[]> {
  const iids: number[] = []
  for (let index = 0; index < EACH; index += 1) {
    const branch = `change-${crash}-${index}`
    const actions = [{ action: 'create', file_path: `${branch}.txt`, content: branch }]
    const commit = { branch, start_branch: 'main', commit_message: branch, actions }
    await api.post(`/projects/${project}/repository/commits`, commit)
    const wanted = { source_branch: branch, target_branch: 'main', title: branch }
    iids.push((await api.post(`/projects/${project}/merge_requests`, wanted)).body.iid)
  }
  return iids
}

const run = promisify(execFile)

async function expectAgreement(
  data: string,
  project: number,
  acknowledged: readonly number[],
): Promise<void> {
  await onDatabase(data, async (pool) => {
    const db = openDb(pool)
    const { relative_path } = await db
      .selectFrom('repositories')
      .select('relative_path')
      .where('project_id', '=', project)
      .executeTakeFirstOrThrow()
    const git = async (...args: string[]) =>
      (await run('git', ['-C', join(data, 'repositories', relative_path), ...args])).stdout.trim()
    const reached = new Set((await git('rev-list', 'refs/heads/main')).split('\n'))
    const { rows } = await sql<{
      iid: number
      state: string
      head_sha: string
      merge_commit_sha: string
      told: number
    }>`
      select iid, state, head_sha, merge_commit_sha, (
        select count(*)::integer from facts f where f.name = 'merge request merged' and f.target_id = mr.id) as told
      from merge_requests mr where project_id = ${project}`.execute(db)
    for (const { iid, state, head_sha, merge_commit_sha, told } of rows) {
      expect([iid, state, told]).toEqual(reached.has(head_sha) ? [iid, 'merged', 1] : [iid, 'opened', 0])
      if (state === 'merged') expect(reached).toContain(merge_commit_sha)
    }
    const merged = rows.filter(({ state }) => state === 'merged').map(({ iid }) => iid)
    expect(acknowledged.filter((iid) => !merged.includes(iid))).toEqual([])
    // Each merge is one step of a line.
    expect(Number(await git('rev-list', '--first-parent', '--count', 'refs/heads/main'))).toBe(
      merged.length + 1,
    )
  })
}
