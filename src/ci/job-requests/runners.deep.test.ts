import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { spentBy } from '#test/costs.ts'
import { GitClient } from '#test/git-client.ts'
import { MeasuredServer } from '#test/measured-server.ts'
import { openWorld, type World } from '#test/world.ts'
import { archiveLogs } from '../logs/archive-logs.ts'
import { projectWithCi } from '../test-support.ts'
import { runner, type TestRunner } from './test-support.ts'

// What many runners cost a server in a process of its own. The figures are those of the machine, so only much more fails.

let own: World
let server: MeasuredServer
let p: Awaited<ReturnType<typeof projectWithCi>>
const JOBS = 100
const config = Array.from({ length: JOBS }, (_, n) => `job-${n}: { script: x }\n`).join('')

beforeAll(async () => {
  own = await openWorld()
  p = await projectWithCi(config, { world: own })
  server = await MeasuredServer.start(own)
}, 120_000)
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await own.running.stop()
})

const many = (count: number): Promise<TestRunner[]> =>
  Promise.all(Array.from({ length: count }, () => runner({ project: p.id, world: own, url: server.url })))

test('fifty runners that ask at once get a job each, and idle ones cost next to nothing', async () => {
  const { id: pipeline } = await p.create()
  const fifty = await many(50)
  const begun = performance.now()
  const jobs = await Promise.all(fifty.map((one) => one.take()))
  console.log(`50 jobs given in ${Math.round(performance.now() - begun)} ms`)
  expect(new Set(jobs.map(({ id }) => id)).size).toBe(50)
  await Promise.all((await many(50)).map((one) => one.take()))
  expect(Object.values(await p.statuses(pipeline)).every((status) => status === 'running')).toBe(true)

  // A hundred of these wait for as long as the server lets them, and a hundred ask every few seconds.
  const idle = await many(200)
  const stop = new AbortController()
  const polls = idle.map(async (one, n) => {
    let last = (await one.ask()).headers.get('x-gitlab-last-update') ?? ''
    while (!stop.signal.aborted) {
      if (n % 2 === 0) last = (await one.ask({ last_update: last })).headers.get('x-gitlab-last-update') ?? ''
      else
        await pause(5_000, undefined, { signal: stop.signal }).then(
          () => one.ask(),
          () => {},
        )
    }
  })
  await pause(2_000)
  const before = await spentBy(server.pid)
  await pause(10_000)
  const after = await spentBy(server.pid)
  const share = (after.own - before.own) / 10
  console.log(`200 idle runners: ${(share * 100).toFixed(1)} % of a core`)
  expect(share).toBeLessThan(0.15)

  // A job that ends makes room for the next one, which a waiting runner gets.
  const [first] = jobs
  const next = await p.create()
  stop.abort()
  expect(next.id).toBeGreaterThan(pipeline)
  await first?.update('success')
  await Promise.all(polls)
}, 120_000)

test('from the end of a job to the next one it takes a waiting runner some milliseconds', async () => {
  const q = await projectWithCi('a: { stage: build, script: x }\nb: { stage: test, script: x }', {
    world: own,
  })
  const times: number[] = []
  for (let n = 0; n < 10; n += 1) {
    await q.create()
    const one = await runner({ project: q.id, world: own, url: server.url })
    const job = await one.take()
    const last = (await one.ask()).headers.get('x-gitlab-last-update')
    const waiting = one.ask({ last_update: last }).then(({ status }) => ({ status, at: performance.now() }))
    await pause(100)
    const begun = performance.now()
    await job.update('success')
    const { status, at } = await waiting
    expect(status).toBe(201)
    times.push(at - begun)
  }
  const sorted = times.toSorted((a, b) => a - b)
  console.log(`from PUT to 201: ${sorted.map((time) => Math.round(time)).join(' ')} ms`)
  expect(sorted[4]).toBeLessThan(200)
}, 60_000)

test('a hundred runners write 10 kB a second each', async () => {
  const q = await projectWithCi(config, { world: own })
  await q.maintainer.post(`${q.base}/variables`, {
    key: 'HUSH',
    value: 'a-secret-of-some-length',
    masked: true,
  })
  await q.create()
  const jobs = await Promise.all(
    (
      await Promise.all(
        Array.from({ length: JOBS }, () => runner({ project: q.id, world: own, url: server.url })),
      )
    ).map((one) => one.take()),
  )
  const line = `${'a line of a log '.repeat(6)}\n`
  const piece = line.repeat(Math.ceil(30_000 / line.length))
  const before = { spent: await spentBy(server.pid), ...(await server.measure('collected')) }
  // Each sends what three seconds bring.
  const rounds = 4
  const begun = performance.now()
  for (let round = 0; round < rounds; round += 1) {
    const due = begun + (round + 1) * 3_000
    const sent = await Promise.all(jobs.map((job, n) => pause(n * 25).then(() => job.trace(piece))))
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([202]))
    await pause(Math.max(0, due - performance.now()))
  }
  const seconds = (performance.now() - begun) / 1_000
  const after = { spent: await spentBy(server.pid), ...(await server.measure('collected')) }
  const share = (after.spent.own - before.spent.own) / seconds
  console.log(
    `100 logs of 10 kB/s: ${(share * 100).toFixed(0)} % of a core, memory ${Math.round((after.rss - before.rss) / 1024 / 1024)} MiB more`,
  )
  expect(share).toBeLessThan(0.8)
  expect(after.rss - before.rss).toBeLessThan(200 * 1024 * 1024)
}, 120_000)

test('a log of 100 MB arrives in pieces, and is read by range', async () => {
  const q = await projectWithCi('long: { script: x }', { world: own })
  const { id: pipeline } = await q.create()
  const job = await (await runner({ project: q.id, world: own, url: server.url })).take()
  const before = await server.measure('collected')
  const piece = `${'0123456789abcde'.repeat(4)}\n`.repeat(4_000_000 / 61)
  const pieces = Math.floor(100_000_000 / piece.length)
  for (let n = 0; n < pieces; n += 1) expect((await job.trace(piece)).status).toBe(202)
  const read = async (range: string) => {
    const begun = performance.now()
    const answer = await fetch(`${server.url}/api/v4${q.base}/jobs/${job.id}/trace`, {
      headers: { 'private-token': q.developer.token, range: `bytes=${range}` },
    })
    const text = await answer.text()
    return {
      status: answer.status,
      text,
      range: answer.headers.get('content-range'),
      took: performance.now() - begun,
    }
  }
  const size = pieces * piece.length
  const range = `${piece.length * 10}-${piece.length * 10 + 60}`
  const growing = await read(range)
  expect(growing).toMatchObject({ status: 206, text: piece.slice(0, 61) })
  expect((await job.update('success')).status).toBe(200)
  const { signal } = new AbortController()
  await archiveLogs.execute(
    { pipeline_id: pipeline },
    jobContext(own.running.services, { attempt: 1, signal }),
  )
  const middle = await read(range)
  expect(middle).toMatchObject({ status: 206, text: piece.slice(0, 61) })
  const end = await read('-61')
  expect(end).toMatchObject({
    status: 206,
    text: piece.slice(-61),
    range: `bytes ${size - 61}-${size - 1}/${size}`,
  })
  const after = await server.measure('collected')
  console.log(
    `100 MB of a log: ranges in ${Math.round(growing.took)}, ${Math.round(middle.took)} and ${Math.round(end.took)} ms, memory ${Math.round((after.rss - before.rss) / 1024 / 1024)} MiB more`,
  )
  expect(Math.max(growing.took, middle.took, end.took)).toBeLessThan(1_000)
  expect(after.rss - before.rss).toBeLessThan(200 * 1024 * 1024)
}, 120_000)

test('a server that stops lets waiting runners go', async () => {
  const other = await own.another()
  const one = await runner({ project: p.id, world: own, url: other.url })
  const last = (await one.ask()).headers.get('x-gitlab-last-update')
  const waiting = one.ask({ last_update: last })
  await pause(200)
  const begun = performance.now()
  await other.stop()
  expect((await waiting).status).toBe(204)
  expect(performance.now() - begun).toBeLessThan(5_000)
})

test.each(['0', '2'])(
  'git of protocol %s fetches the commit of a job, though its branch has moved on',
  async (version) => {
    await using client = await GitClient.open()
    const q = await projectWithCi('a: { script: x }', { world: own, visibility: 'public' })
    const { id: pipeline } = await q.create()
    const job = await (await runner({ project: q.id, world: own })).take()
    await q.maintainer.post(`${q.base}/repository/commits`, {
      branch: 'main',
      commit_message: 'Go on [skip ci]',
      actions: [{ action: 'create', file_path: 'more', content: 'x' }],
    })
    const { refspecs, sha, depth } = job.json['git_info']
    const clone = await client.init(`${own.url}/${q.fullPath}.git`, `clone-${version}`)
    await clone.run(
      '-c',
      `protocol.version=${version}`,
      'fetch',
      '--quiet',
      '--depth',
      String(depth),
      'origin',
      ...refspecs,
    )
    expect((await clone.run('rev-parse', `refs/pipelines/${pipeline}`)).trim()).toBe(sha)
  },
)
