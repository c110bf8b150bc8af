import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { until } from '#test/until.ts'
import { openWorld, type World } from '#test/world.ts'
import type { RunningServer } from '#server-options.ts'
import { projectWithCi } from '../test-support.ts'

// Two servers on one database: whatever both could do is done once.

const CONFIG = `
build: { stage: build, script: x }
later: { stage: build, script: x, when: delayed, start_in: 1 second }
child: { stage: build, trigger: { include: [{ local: child.yml }], strategy: depend } }
deploy: { stage: deploy, script: x, environment: production }
`

let own: World
let other: RunningServer
beforeAll(async () => {
  own = await openWorld()
  other = await own.another()
})
afterAll(async () => {
  await other.stop()
  await own.running.stop()
})

test('pipelines of pushes and merge requests, their children, deployments and delayed jobs come once', async () => {
  const p = await projectWithCi(CONFIG, { world: own, files: { 'child.yml': 'part: { script: x }' } })
  const there = new Client(other.url, { 'private-token': p.developer.token })
  const nodes = [p.developer, there]
  const commits = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const { status, body } = await (nodes[index % 2] ?? there).post(`${p.base}/repository/commits`, {
        branch: `change-${index}`,
        start_branch: 'main',
        commit_message: `Change ${index}`,
        actions: [{ action: 'create', file_path: 'a.txt', content: `${index}` }],
      })
      expect([status, body.message]).toEqual([201, `Change ${index}`])
      return body.id as string
    }),
  )
  const pipelines = async (query: string) =>
    (await there.get(`${p.base}/pipelines?per_page=100&${query}`)).body
  const made = await until(async () => {
    const found: { id: number; sha: string }[] = await pipelines('source=push')
    expect(found.map(({ sha }) => sha).toSorted()).toEqual(commits.toSorted())
    return found
  })
  await until(async () => {
    const children: { id: number }[] = await pipelines('source=parent_pipeline')
    expect(children).toHaveLength(made.length)
    for (const { id } of made) expect((await p.statuses(id))['later']).toBe('pending')
  })
  const children: { id: number }[] = await pipelines('source=parent_pipeline')
  for (const { id } of children) await there.post(`${p.base}/pipelines/${id}/cancel`)
  // Both nodes end jobs of the same pipeline at once.
  for (const { id } of made) {
    const jobs: { id: number; name: string }[] = await p.jobs(id)
    const first = jobs.filter(({ name }) => name !== 'deploy')
    await Promise.all(
      first.map(({ id: job }, index) => (nodes[index % 2] ?? there).post(`${p.base}/jobs/${job}/cancel`)),
    )
  }
  await until(async () => {
    for (const { id } of made)
      expect(await p.statuses(id)).toEqual({ build: 'canceled', later: 'canceled', deploy: 'skipped' })
  })
  const { body: deployments } = await there.get(`${p.base}/deployments`)
  expect(deployments).toEqual([])
})

test('who cancels on one node and who ends a job on the other both get an answer that holds', async () => {
  const p = await projectWithCi('build: { script: x }\ntest: { script: x, stage: test }', { world: own })
  const there = new Client(other.url, { 'private-token': p.developer.token })
  for (let round = 0; round < 10; round += 1) {
    const { id } = await p.create()
    const [finished, canceled] = await Promise.allSettled([
      p.finish(id, 'build'),
      there.post(`${p.base}/pipelines/${id}/cancel`),
    ])
    expect(canceled.status).toBe('fulfilled')
    expect(await p.statuses(id)).toEqual({
      build: finished.status === 'fulfilled' ? 'success' : 'canceled',
      test: 'canceled',
    })
  }
})
