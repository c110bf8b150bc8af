import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { cpuOf } from './children.ts'
import type { World } from './jobs.ts'
import { send } from './load.ts'
import { atLeast, atMost, type Effort, type Measure, median } from './measures.ts'
import { measurePlanning, withPlanningCounted } from './planning.ts'
import { fillRepository, type Repository } from './repository-data.ts'
import { type Server, startForgelet } from './server.ts'

/** A request of which the CPU is measured. */
export interface Budgeted {
  readonly name: string
  /** Milliseconds of CPU for one request, of all processes; for what is `alone`, milliseconds until the answer. */
  readonly budget: number
  /** By default the member. */
  readonly as?: 'administrator'
  readonly path: (place: Place) => string
  readonly method?: 'PUT'
  /** The body of a POST or PUT; without one it is a GET. */
  readonly body?: (serial: number) => Readonly<Record<string, unknown>>
  /** Sent over one connection, and timed. */
  readonly alone?: true
}

/** What paths name. */
interface Place extends World {
  readonly repository: Repository
}

/** A member of 100 groups among 1,000 projects; 4,300 issues in each of three projects, and 10 in each other one. */
const SIZES = { issues: 22_870, large: 3, projects: 1_000, groups: 200, memberships: 100, people: 20 }
const FEW_ISSUES = 30
const CONNECTIONS = 8
const WRITES = 20

const large = ({ largeProject }: Place) => `/projects/${largeProject}`
const repository = ({ repository: { project } }: Place) => `/projects/${project}`

export const requests: readonly Budgeted[] = [
  {
    name: '20 issues of a project of 30',
    budget: 0.7,
    path: ({ smallProject }) => `/projects/${smallProject}/issues`,
  },
  { name: '20 issues of a project of 4,300', budget: 1, path: (place) => `${large(place)}/issues` },
  { name: '20 issues of all', budget: 2.5, path: () => '/issues?scope=all' },
  { name: '20 projects, administrator', budget: 1.2, as: 'administrator', path: () => '/projects' },
  { name: '20 projects, member of 100 groups', budget: 2, path: () => '/projects' },
  { name: '20 to-dos', budget: 1.5, path: () => '/todos' },
  { name: '20 events', budget: 1.5, path: (place) => `${large(place)}/events` },
  { name: '20 merge requests of all', budget: 2, path: () => '/merge_requests?scope=all' },
  { name: 'search, rare', budget: 3, path: (place) => `${large(place)}/issues?search=nowhere` },
  { name: 'search, common', budget: 6, path: (place) => `${large(place)}/issues?search=deployment` },
  {
    name: 'commit',
    budget: 2,
    path: (place) => `${repository(place)}/repository/commits/${place.repository.commit}`,
  },
  {
    name: 'file',
    budget: 2,
    path: (place) => `${repository(place)}/repository/files/folder%2Ffile-7?ref=main`,
  },
  {
    name: 'raw',
    budget: 2,
    path: (place) => `${repository(place)}/repository/files/folder%2Ffile-7/raw?ref=main`,
  },
  {
    name: 'compare',
    budget: 4,
    path: (place) => `${repository(place)}/repository/compare?from=main&to=wide`,
  },
  {
    name: 'changes of a merge request',
    budget: 4,
    path: (place) => `${repository(place)}/merge_requests/${place.repository.mergeRequest}/changes`,
  },
  {
    name: 'branches, 20 of 601',
    budget: 4,
    path: (place) => `${repository(place)}/repository/branches`,
  },
  {
    name: 'new issue',
    budget: 2.5,
    path: ({ joined }) => `/projects/${joined[0]}/issues`,
    body: (serial) => ({ title: `Number ${serial}` }),
  },
  {
    name: 'changed issue: title and label',
    budget: 2,
    method: 'PUT',
    path: (place) => `${large(place)}/issues/7`,
    body: (serial) => ({ title: `Title ${serial}`, labels: `label-${1 + (serial % 10)}` }),
  },
  {
    name: 'new note',
    budget: 1.6,
    path: (place) => `${large(place)}/issues/8/notes`,
    body: () => ({ body: 'A comment of a line or so, as people write them.' }),
  },
  {
    name: 'note that mentions a person, alone',
    budget: 4,
    alone: true,
    path: (place) => `${large(place)}/issues/9/notes`,
    body: (serial) => ({ body: `Look at this, @large-person-${1 + (serial % 20)}` }),
  },
  {
    name: 'note that refers to an issue, alone',
    budget: 3.5,
    alone: true,
    path: (place) => `${large(place)}/issues/10/notes`,
    body: (serial) => ({ body: `As in #${11 + (serial % 50)}` }),
  },
]

/** What requests cost that had no budget before, and which of their statements PostgreSQL plans at each call. */
export async function measureRequests(effort: Effort): Promise<Measure[]> {
  await using server = await startForgelet({
    sizes: SIZES,
    notes: 200_000,
    events: 20_000,
    mergeRequests: 2_000,
    prepare: withPlanningCounted,
  })
  const place: Place = { ...server.said.world, repository: await fillRepository(server) }
  await fillTodos(server, place)
  await settle(server)
  const found: Measure[] = []
  for (const request of requests) found.push(await costOf(server, place, request, effort))
  found.push(await eightWriters(server, place, effort))
  found.push(...(await mergeRequests(server, place)))
  found.push(
    ...(await measurePlanning(
      server,
      requests.map((request) => () => one(server, place, request)),
    )),
  )
  return found
}

/** To-dos of the member, and issues of the small project. */
async function fillTodos(server: Server, place: Place): Promise<void> {
  for (let iid = 1; iid <= FEW_ISSUES; iid += 1) {
    await server.ask('member', 'POST', `${large(place)}/issues/${iid}/todo`)
  }
  for (let count = 10; count < FEW_ISSUES; count += 1) {
    await server.ask('administrator', 'POST', `/projects/${place.smallProject}/issues`, {
      title: `Small ${count}`,
    })
  }
}

let serial = 0
const next = () => (serial += 1)

async function one(server: Server, place: Place, { as, path, body, method }: Budgeted) {
  const verb = method ?? (body === undefined ? 'GET' : 'POST')
  await server.ask(as ?? 'member', verb, path(place), body?.(next()))
}

async function costOf(
  server: Server,
  place: Place,
  request: Budgeted,
  { seconds }: Effort,
): Promise<Measure> {
  const { name, budget, as, path, method, body, alone } = request
  const load = {
    ...server.load(as ?? 'member', path(place)),
    ...(body && { bodies: () => JSON.stringify(body(next())) }),
    ...(method && { method }),
  }
  const connections = alone ? 1 : CONNECTIONS
  await send(load, 1, connections)
  await settle(server)
  const before = await cpuOf(server.pid)
  const { perSecond, percentiles, refused } = await send(load, seconds, connections)
  if (refused > 0) throw new Error(`${name}: ${refused} requests were refused`)
  const cpu = ((await cpuOf(server.pid)) - before) / 1_000 / (perSecond * seconds)
  const figure = `${cpu.toFixed(2)} ms   ${perSecond.toFixed(0)}/s   ${percentiles.join(' / ')} ms`
  return atMost(name, alone ? percentiles[0] : cpu, budget, figure)
}

async function eightWriters(server: Server, { joined }: Place, { seconds }: Effort): Promise<Measure> {
  const load = {
    ...server.load('joiner', `/projects/${joined[1]}/issues`),
    bodies: () => JSON.stringify({ title: `Number ${next()}` }),
  }
  await send(load, 1, CONNECTIONS)
  const { perSecond } = await send(load, seconds, CONNECTIONS)
  return atLeast('new issues of one project by eight writers', perSecond, 700, `${perSecond.toFixed(0)}/s`)
}

/** New ones and merges, each with the jobs that they cause. */
async function mergeRequests(server: Server, place: Place): Promise<Measure[]> {
  const path = `${repository(place)}/merge_requests`
  const created: number[] = []
  const cost = async (work: () => Promise<unknown>) => {
    const before = await cpuOf(server.pid)
    await work()
    await settle(server)
    return ((await cpuOf(server.pid)) - before) / 1_000 / WRITES
  }
  const times: number[] = []
  const opening = async (from: number) => {
    for (let branch = from; branch < from + WRITES; branch += 1) {
      const names = { source_branch: `branch-${branch}`, target_branch: 'main', title: `Number ${branch}` }
      const began = performance.now()
      const { iid } = await server.ask('member', 'POST', path, names)
      times.push(performance.now() - began)
      created.push(Number(iid))
    }
  }
  const merging = async (iids: readonly number[]) => {
    for (const iid of iids) await server.ask('administrator', 'PUT', `${path}/${iid}/merge`)
  }
  // The first ones warm up.
  await opening(1)
  await settle(server)
  await merging(created)
  await settle(server)
  const opened = await cost(() => opening(1 + WRITES))
  const merged = await cost(() => merging(created.slice(WRITES)))
  const ms = `${opened.toFixed(1)} ms   answered in ${median(times).toFixed(0)} ms`
  return [
    atMost('new merge request, with its jobs', opened, 20, ms),
    atMost('merge, with its jobs', merged, 40, `${merged.toFixed(1)} ms`),
  ]
}

/** Waits until no job is left that could run now. */
async function settle({ said: { address } }: Server): Promise<void> {
  const client = new pg.Client(address)
  await client.connect()
  try {
    for (;;) {
      const { rows } = await client.query<{ left: number }>(
        'select count(*)::integer as left from graphile_worker.jobs where run_at <= now() and attempts < max_attempts',
      )
      if (rows[0]?.left === 0) return
      await pause(50)
    }
  } finally {
    await client.end()
  }
}
