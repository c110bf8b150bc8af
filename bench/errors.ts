import { request, Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import type { Db } from '#platform/db/pool.ts'
import { startServer } from '../src/server.ts'
import { cpuOf, temporaryFolder } from './children.ts'
import { atLeast, type Effort, type Measure, reported } from './measures.ts'

/** Events that are sent at once. */
const SENDERS = 200
/** Different errors among them. */
const ERRORS = 200

/**
 * How many events error tracking keeps in a second, with a durable database, while jobs group them; the sender shares
 * the cores. An event has 20 calls with their source, some 9 KB, as those of SDKs have.
 */
export async function measureErrors({ seconds }: Effort): Promise<Measure[]> {
  await using folder = await temporaryFolder()
  const config = readConfig({
    FORGELET_DATA: `${folder.path}/data`,
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: TOKEN,
  })
  const server = await startServer({ config, log: pino({ level: 'silent' }), withPassword: false })
  try {
    const url = await prepare(server.url)
    await sendFor(url, 2_000)
    await grouped(server.services.db)
    const before = await counted(server.services.db)
    const cpu = await cpuOf(process.pid)
    const begun = performance.now()
    const { kept, limited, times } = await sendFor(url, seconds * 1000)
    const rate = kept / ((performance.now() - begun) / 1000)
    const waiting = await inbox(server.services.db)
    await grouped(server.services.db)
    const drained = (performance.now() - begun) / 1000
    const used = ((await cpuOf(process.pid)) - cpu) / kept
    const sorted = times.toSorted((one, other) => one - other)
    const at = (share: number) => `${(sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0)} ms`
    const lost = kept - ((await counted(server.services.db)) - before)
    return [
      atLeast('events kept: a second', rate, 1_000, rate.toFixed(0)),
      reported('answers: P50 / P99', `${at(0.5)} / ${at(0.99)}`),
      reported('CPU of an event until it is grouped, with its sender', `${(used / 1000).toFixed(2)} ms`),
      reported('events refused under overload', String(limited)),
      reported('events that waited to be grouped at the end', String(waiting)),
      reported('events grouped: a second, over all', (kept / drained).toFixed(0)),
      reported('events acknowledged and not counted', String(lost)),
    ]
  } finally {
    await server.stop()
  }
}

const TOKEN = 'glpat-the-token-of-the-bench-of-errors'

async function prepare(base: string): Promise<string> {
  const ask = async (method: string, path: string, json: object) => {
    const headers = { 'private-token': TOKEN, 'content-type': 'application/json' }
    const answer = await fetch(`${base}/api/v4${path}`, { method, headers, body: JSON.stringify(json) })
    const body: unknown = await answer.json()
    return typeof body === 'object' && body !== null
      ? new Map<string, unknown>(Object.entries(body))
      : new Map()
  }
  const id = String((await ask('POST', '/projects', { name: 'bench' })).get('id'))
  await ask('PUT', `/projects/${id}/error_tracking/settings`, { active: true, integrated: true })
  const key = String((await ask('POST', `/projects/${id}/error_tracking/client_keys`, {})).get('public_key'))
  return `${base}/api/v4/error_tracking/collector/api/${id}/envelope/?sentry_key=${key}`
}

function envelope(): string {
  const number = Math.floor(Math.random() * ERRORS)
  const frames = Array.from({ length: 20 }, (_, at) => ({
    filename: `/app/src/part-${at}.js`,
    function: `step${at === 19 ? '' : at}${at === 19 ? String.fromCharCode(97 + (number % 26)) + String.fromCharCode(97 + Math.floor(number / 26)) : ''}`,
    lineno: at,
    in_app: at > 10,
    pre_context: Array.from({ length: 5 }, () => '  const something = await another(thing, and, more)'),
    context_line: '  throw new TypeError(`it failed`)',
    post_context: ['}', '', 'function next() {'],
  }))
  const event = {
    timestamp: Date.now() / 1000,
    platform: 'node',
    release: 'app@1.0.0',
    environment: 'production',
    user: { id: Math.floor(Math.random() * 1_000) },
    exception: { values: [{ type: 'TypeError', value: `order ${number} failed`, stacktrace: { frames } }] },
  }
  return `{}\n{"type":"event"}\n${JSON.stringify(event)}\n`
}

interface Heard {
  kept: number
  limited: number
  readonly times: number[]
}

async function sendFor(url: string, milliseconds: number): Promise<Heard> {
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS })
  const bodies = Array.from({ length: ERRORS }, envelope)
  const heard: Heard = { kept: 0, limited: 0, times: [] }
  const end = performance.now() + milliseconds
  const send = async () => {
    while (performance.now() < end) {
      const begun = performance.now()
      const body = bodies[Math.floor(Math.random() * bodies.length)] ?? ''
      const status = await post(url, agent, body)
      heard.times.push(performance.now() - begun)
      if (status === 200) heard.kept += 1
      else if (status === 429) heard.limited += 1
      else throw new Error(`an event was answered ${status}`)
    }
  }
  await Promise.all(Array.from({ length: SENDERS }, send))
  agent.destroy()
  return heard
}

const post = (url: string, agent: Agent, body: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const sending = request(url, { method: 'POST', agent }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    })
    sending.on('error', reject).end(body)
  })

async function inbox(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::integer as count from error_inbox`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

async function grouped(db: Db): Promise<void> {
  while ((await inbox(db)) > 0) await pause(100)
}

async function counted(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select coalesce(sum(events_count), 0)::integer as count from errors`.execute(db)
  return rows[0]?.count ?? 0
}
