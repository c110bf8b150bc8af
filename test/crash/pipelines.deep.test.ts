import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openDb } from '#platform/db/pool.ts'
import { Client } from '#test/client.ts'
import { until } from '#test/until.ts'
import { dataFolder, giveUpOn, killEverything, onDatabase, start, TOKEN } from './killing.ts'

/** Each takes some seconds. More find more: `CRASHES=20`. */
const crashes = Number(process.env['CRASHES'] ?? 2)
/** Commits, and pipelines that are canceled, for each crash. */
const EACH = 8

const CONFIG = `
build: { stage: build, script: make }
child: { stage: build, trigger: { include: [{ local: child.yml }], strategy: depend } }
`

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

test(
  `killed ${crashes} times while pipelines are made and canceled, a server has each of them once, and what it said holds`,
  { timeout: 60_000 + crashes * 40_000 },
  async () => {
    const data = await dataFolder()
    let server = await start(data)
    cleanups.push(() => killEverything(server.child, data))
    let api = new Client(server.url, { 'private-token': TOKEN })
    const { body: project } = await api.post('/projects', { name: 'crash' })
    const base = `/projects/${project.id}`
    const file = (path: string, content: string) => ({ action: 'create', file_path: path, content })
    const actions = [file('.gitlab-ci.yml', CONFIG), file('child.yml', 'part: { script: make part }')]
    await api.post(`${base}/repository/commits`, { branch: 'main', commit_message: 'Begin', actions })
    const pushed = new Set<string>()
    const canceled = new Set<number>()
    for (let crash = 0; crash < crashes; crash += 1) {
      const before = pushed.size
      const work = Array.from({ length: EACH }, async (_, index) => {
        const branch = `change-${crash}-${index}`
        const commit = {
          branch,
          start_branch: 'main',
          commit_message: branch,
          actions: [file('a.txt', branch)],
        }
        const made = await api.post(`${base}/repository/commits`, commit)
        if (made.status === 201) pushed.add(made.body.id)
        const pipeline = await api.post(`${base}/pipeline`, { ref: 'main' })
        if (pipeline.status !== 201) return
        const answer = await api.post(`${base}/pipelines/${pipeline.body.id}/cancel`)
        if (answer.status === 200) canceled.add(pipeline.body.id)
      }).map((one) => one.catch(() => undefined))
      // However slow the machine is: something is acknowledged, and more is under way.
      await until(() => expect(pushed.size).toBeGreaterThan(before))
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 900))
      await killEverything(server.child, data)
      const killed = new Date()
      await Promise.all(work)
      server = await start(data)
      await giveUpOn(data, killed)
      api = new Client(server.url, { 'private-token': TOKEN })
      await untilAgreement(data, pushed, canceled)
    }
    expect(pushed.size + canceled.size).toBeGreaterThan(0)
  },
)

/** Waits until what was acknowledged is there, once each, and nothing is half begun. */
async function untilAgreement(
  data: string,
  pushed: ReadonlySet<string>,
  canceled: ReadonlySet<number>,
): Promise<void> {
  await onDatabase(data, async (pool) => {
    const db = openDb(pool)
    await until(async () => {
      const { rows: pipelines } = await sql<{ sha: string; count: number }>`
          select sha, count(*)::integer as count from pipelines where source = 'push' group by sha`.execute(
        db,
      )
      const counts = new Map(pipelines.map(({ sha, count }) => [sha, count]))
      for (const sha of pushed) expect([sha, counts.get(sha)]).toEqual([sha, 1])
      for (const { sha, count } of pipelines) expect([sha, count]).toEqual([sha, 1])
      const { rows: bridges } = await sql<{ id: number; status: string; children: number }>`
          select j.id, j.status, (select count(*)::integer from pipelines c where c.upstream_job_id = j.id) as children
          from ci_jobs j where j.bridge`.execute(db)
      for (const { id, status, children } of bridges)
        expect([id, status, children]).toEqual([id, status, status === 'canceled' ? expect.any(Number) : 1])
      for (const { children } of bridges) expect(children).toBeLessThanOrEqual(1)
    })
    const { rows } = await sql<{ id: number; status: string }>`select id, status from pipelines`.execute(db)
    for (const { id, status } of rows) if (canceled.has(id)) expect([id, status]).toEqual([id, 'canceled'])
    const { rows: stray } = await sql`
      select p.id from pipelines p where not exists (select from ci_jobs j where j.pipeline_id = p.id)`.execute(
      db,
    )
    expect(stray).toEqual([])
  })
}
