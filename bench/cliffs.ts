import type { World } from './jobs.ts'
import { compare, type Load } from './load.ts'
import { atLeast, atMost, type Effort, type Measure, median } from './measures.ts'
import { type Server, startForgelet } from './server.ts'

/** A request by an ordinary member of 100 groups, unless somebody else is named. */
interface Asked {
  readonly name: string
  readonly as?: 'joiner' | 'administrator'
  readonly path: (world: World & Found) => string
}

/** A request that is slow where a list has no index for it, or where rights are decided row by row. */
interface Cliff extends Asked {
  /** The milliseconds that it may take. */
  readonly wanted: number
}

/** What a first request has to find out. */
interface Found {
  /** The last issue of page 999, by id. */
  readonly before: number
}

const project = (query: string) => (world: World) => `/projects/${world.largeProject}/issues${query}`

const nullsLast = ['weight', 'due_date', 'relative_position'].map((order): Cliff => ({
  name: `order by ${order}`,
  path: project(`?order_by=${order}&sort=desc`),
  wanted: 10,
}))

const cliffs: readonly Cliff[] = [
  { name: 'issues of the instance', path: () => '/issues', wanted: 100 },
  { name: 'issues of the instance, scope=all', path: () => '/issues?scope=all', wanted: 100 },
  { name: 'page 9,000, past the end', path: () => '/issues?scope=all&page=9000', wanted: 100 },
  { name: 'page 9,000 of a project', path: project('?page=9000'), wanted: 100 },
  { name: 'page 1,000', path: project('?order_by=id&page=1000'), wanted: 30 },
  {
    name: 'page 1,000 by key',
    path: (world) => project(`?order_by=id&pagination=keyset&id_before=${world.before}`)(world),
    wanted: 10,
  },
  { name: 'an unknown label', path: project('?labels=unknown'), wanted: 10 },
  { name: 'an unknown label, scope=all', path: () => '/issues?scope=all&labels=unknown', wanted: 10 },
  { name: 'two labels', path: project('?labels=label-2,label-3'), wanted: 50 },
  { name: 'two labels that no issue has together', path: project('?labels=label-4,label-5'), wanted: 50 },
  {
    name: 'two labels that no issue has together, scope=all',
    path: () => '/issues?scope=all&labels=label-4,label-5',
    wanted: 50,
  },
  { name: 'an unknown milestone', path: project('?milestone=unknown'), wanted: 10 },
  { name: 'an unknown author', path: project('?author_username=nobody'), wanted: 10 },
  // md5 of 1000 begins so, and only one issue of each large project has it.
  { name: 'search for a rare word', path: project('?search=a9b7ba70783b617e9998dc4dd82eb3c5'), wanted: 100 },
  { name: 'search for a word of all issues', path: project('?search=deployment'), wanted: 100 },
  { name: 'search without a match', path: project('?search=nowhere'), wanted: 100 },
  { name: 'search without a match, scope=all', path: () => '/issues?scope=all&search=nowhere', wanted: 100 },
  ...nullsLast,
  { name: 'order by popularity', path: project('?order_by=popularity'), wanted: 10 },
  { name: 'order by priority', path: project('?order_by=priority'), wanted: 100 },
  { name: 'issues of a group', path: ({ memberGroup }) => `/groups/${memberGroup}/issues`, wanted: 100 },
  {
    name: 'statistics',
    path: ({ largeProject }) => `/projects/${largeProject}/issues_statistics`,
    wanted: 100,
  },
  {
    name: 'labels with counts',
    path: ({ largeProject }) => `/projects/${largeProject}/labels?with_counts=true`,
    wanted: 100,
  },
  {
    name: 'projects of a member of 2,000',
    as: 'joiner',
    path: () => '/projects?membership=true',
    wanted: 20,
  },
  { name: 'projects of an administrator', as: 'administrator', path: () => '/projects', wanted: 10 },
]

/** Requests that must not be slower because another project is large. */
const small: readonly Asked[] = [
  { name: 'one issue', as: 'joiner', path: ({ joined }) => `/projects/${joined[0]}/issues/1` },
  { name: '20 issues', as: 'joiner', path: ({ joined }) => `/projects/${joined[0]}/issues` },
]
/** The share of throughput that they should keep. */
const KEPT = 0.8

/** Every cliff in a database with 200,000 issues, whose statistics are fresh, or older than most of them. */
export async function measureCliffs(effort: Effort): Promise<Measure[]> {
  await using fresh = await startForgelet({ sizes: {} })
  await using stale = await startForgelet({ sizes: { stale: true } })
  const measures: Measure[] = []
  const [reference = 0] = await timesOf(fresh, [{ name: 'who am I', path: () => '/user' }], effort)
  const [first, second] = [await timesOf(fresh, cliffs, effort), await timesOf(stale, cliffs, effort)]
  for (const [index, { name, wanted }] of cliffs.entries()) {
    const times = [first[index] ?? 0, second[index] ?? 0]
    const worst = Math.max(...times)
    const figure = `${times.map((time) => time.toFixed(0)).join(' / ')} ms`
    measures.push({
      ...atMost(name, worst, wanted, figure),
      ratio: { value: worst / reference, better: 'lower' },
    })
  }
  return [...measures, ...(await smallProjects(stale, effort))]
}

/** The median milliseconds of each. What fails takes for ever. */
async function timesOf(server: Server, requests: readonly Asked[], effort: Effort): Promise<number[]> {
  const world = { ...server.said.world, before: await lastOfPage999(server) }
  const times: number[] = []
  for (const { as = 'member', path } of requests)
    times.push(await timeOf(server.load(as, path(world)), effort))
  return times
}

/** After so many requests, PostgreSQL keeps its plans, and Node.js has compiled what it runs. */
const WARM = 10

async function timeOf({ url, headers = {} }: Load, { rounds }: Effort): Promise<number> {
  const times: number[] = []
  // What takes seconds is not repeated.
  for (let round = -WARM; round < 2 * rounds; round += 1) {
    const begun = performance.now()
    const answer = await fetch(url, { headers })
    await answer.text()
    if (answer.status >= 500) return Number.POSITIVE_INFINITY
    const time = performance.now() - begun
    if (time > 2_000) return time
    if (round >= 0) times.push(time)
  }
  return median(times)
}

async function lastOfPage999(server: Server): Promise<number> {
  const { url, headers = {} } = server.load('member', project('?order_by=id&page=999')(server.said.world))
  const rows: readonly { readonly id: number }[] = JSON.parse(await (await fetch(url, { headers })).text())
  return rows.at(-1)?.id ?? 0
}

/** What a small project keeps of its throughput among 200,000 issues, against among few. */
async function smallProjects(large: Server, effort: Effort): Promise<Measure[]> {
  await using few = await startForgelet()
  const measures: Measure[] = []
  for (const { name, as = 'member', path } of small) {
    const on = (server: Server) => server.load(as, path({ ...server.said.world, before: 0 }))
    const { share, perSecond } = await compare({ ...on(large), pid: large.pid }, on(few), effort)
    const figure = `${share.toFixed(2)} (${perSecond.toFixed(0)}/s)`
    measures.push(atLeast(`${name} of a small project, against among few issues`, share, KEPT, figure))
  }
  return measures
}
