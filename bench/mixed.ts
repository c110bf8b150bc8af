import { memoryOf } from './children.ts'
import type { World } from './jobs.ts'
import { type MixedRequest, send } from './load.ts'
import { atLeast, atMost, type Effort, type Measure, reported } from './measures.ts'
import { startForgelet } from './server.ts'

const CONNECTIONS = 8
const ISSUES = 50
const MINUTES = 8

/** What nine of ten requests of a busy team are: lists and an issue; the tenth says something or changes it. */
function mixOf({ largeProject }: World, apiPath: string): () => MixedRequest {
  const project = `${apiPath}/projects/${largeProject}`
  const get = (path: string): MixedRequest => ({ method: 'GET', path: `${project}${path}` })
  const sent = (method: 'POST' | 'PUT', path: string, body: object): MixedRequest => ({
    method,
    path: `${project}${path}`,
    body: JSON.stringify(body),
  })
  const turns: ((serial: number, iid: number) => MixedRequest)[] = [
    (serial, iid) =>
      sent('POST', `/issues/${iid}/notes`, {
        body: `Look at this, @large-person-${1 + (serial % 20)}: it is part of #${iid}`,
      }),
    (serial, iid) => sent('PUT', `/issues/${iid}`, { title: `Title ${serial}` }),
    () => get('/issues'),
    (serial) => get(`/issues?labels=label-${1 + (serial % 10)}`),
    () => get('/issues?search=deployment'),
    (_, iid) => get(`/issues/${iid}/notes`),
    (_, iid) => get(`/issues/${iid}/notes`),
    (_, iid) => get(`/issues/${iid}`),
    () => get(''),
    () => get('/issues?state=opened&order_by=updated_at'),
  ]
  let serial = 0
  return () => {
    serial += 1
    const turn = turns[serial % turns.length] ?? (() => get(''))
    return turn(serial, 1 + ((serial * 7) % ISSUES))
  }
}

/** Whether a server is as fast after minutes of writes and reads as it was at first, and what memory it takes for that. */
export async function measureMixed({ seconds, rounds }: Effort): Promise<Measure[]> {
  await using server = await startForgelet({
    sizes: { issues: 22_870, large: 3, projects: 1_000, groups: 200, memberships: 100, people: 20 },
    notes: 200_000,
  })
  const { url, headers = {} } = server.load('member', '')
  const load = { url, headers, mixed: mixOf(server.said.world, new URL(url).pathname.replace(/\/$/, '')) }
  // A quick run tells whether it works, not whether it declines.
  const length = rounds > 2 ? 60 : seconds * 10
  let first = 0
  let last = 0
  let memory = 0
  const lines: Measure[] = []
  for (let minute = 1; minute <= MINUTES; minute += 1) {
    const { perSecond, percentiles, refused } = await send(load, length, CONNECTIONS)
    if (refused > 0) throw new Error(`${refused} requests were refused`)
    if (minute === 1) first = perSecond
    last = perSecond
    const now = await memoryOf(server.pid)
    memory = Math.max(memory, now)
    const figure = `${perSecond.toFixed(0)}/s   ${percentiles[2]} ms   ${now.toFixed(0)} MB`
    lines.push(reported(`minute ${minute}`, figure))
  }
  return [
    ...lines,
    atLeast('requests a second in the last minute', last, 1_000, `${last.toFixed(0)}/s`),
    atLeast('the last minute, share of the first', last / first, 0.95),
    atMost('memory, Node.js and PostgreSQL (PSS)', memory, 350, `${memory.toFixed(0)} MB`),
  ]
}
