import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import autocannon from 'autocannon'
import { cpuOf, startChild, temporaryFolder } from './children.ts'
import { atLeast, type Effort, type Measure, reported } from './measures.ts'

const TOKEN = 'glpat-the-token-of-the-bench-of-errors'
/** Events that are sent at once. */
const SENDERS = 200
/** Different errors among them. */
const ERRORS = 200

/**
 * How many events error tracking keeps in a second, with a durable database, while jobs group them; the sender is
 * another process, and shares the cores. An event has 20 calls with their source, some 9 KB, as those of SDKs have.
 */
export async function measureErrors({ seconds }: Effort): Promise<Measure[]> {
  await using folder = await temporaryFolder()
  await using forgelet = await startChild<{ url: string }>('registry-server.ts', [], {
    FORGELET_DATA: join(folder.path, 'data'),
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: TOKEN,
  })
  const { url, counted } = await prepare(forgelet.said.url)
  const warm = await sendFor(url, 2_000)
  await grouped(counted, warm.kept)
  const cpu = await cpuOf(forgelet.pid)
  const own = process.cpuUsage()
  const begun = performance.now()
  const { kept, limited, latency } = await sendFor(url, Math.max(5, seconds) * 2_000)
  const rate = kept / ((performance.now() - begun) / 1000)
  const sender = process.cpuUsage(own)
  const waiting = warm.kept + kept - (await counted())
  await grouped(counted, warm.kept + kept)
  const drained = (performance.now() - begun) / 1000
  const used = (await cpuOf(forgelet.pid)) - cpu
  const each = (microseconds: number) => `${(microseconds / kept / 1000).toFixed(2)} ms`
  return [
    atLeast('events kept: a second', rate, 1_000, rate.toFixed(0)),
    reported('answers: P50 / P99', `${latency.p50} ms / ${latency.p99} ms`),
    reported('CPU of an event until it is grouped: server and database', each(used)),
    reported('CPU of an event: its sender', each(sender.user + sender.system)),
    reported('events refused under overload', String(limited)),
    reported('events that waited to be grouped at the end', String(waiting)),
    reported('events grouped: a second, over all', (kept / drained).toFixed(0)),
  ]
}

async function prepare(base: string) {
  const ask = async (method: string, path: string, json?: object) => {
    const headers = { 'private-token': TOKEN, 'content-type': 'application/json' }
    const answer = await fetch(`${base}/api/v4${path}`, {
      method,
      headers,
      ...(json && { body: JSON.stringify(json) }),
    })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return JSON.parse(await answer.text())
  }
  const { id } = await ask('POST', '/projects', { name: 'bench' })
  const tracking = `/projects/${id}/error_tracking`
  await ask('PUT', `${tracking}/settings`, { active: true, integrated: true })
  const { public_key: key } = await ask('POST', `${tracking}/client_keys`, {})
  /** How many events are grouped. */
  const counted = async (): Promise<number> => {
    let sum = 0
    for (let page = 1; page <= ERRORS / 100; page += 1) {
      const errors: { events_count: number }[] = await ask(
        'GET',
        `${tracking}/errors?order_by=first_seen&per_page=100&page=${page}`,
      )
      for (const { events_count } of errors) sum += events_count
    }
    return sum
  }
  return { url: `${base}/api/v4/error_tracking/collector/api/${id}/envelope/?sentry_key=${key}`, counted }
}

/** Waits until all events that were acknowledged are counted. */
async function grouped(counted: () => Promise<number>, kept: number): Promise<void> {
  const end = performance.now() + 60_000
  for (let found = 0; found !== kept; found = await counted()) {
    if (found > kept || performance.now() > end)
      throw new Error(`${kept} events were acknowledged, and ${found} counted`)
    await pause(100)
  }
}

/** An event of one of the errors. */
function envelope(number: number): string {
  const name = `step${String.fromCharCode(97 + (number % 26))}${String.fromCharCode(97 + Math.floor(number / 26))}`
  const frames = Array.from({ length: 20 }, (_, at) => ({
    filename: `/app/src/part-${at}.js`,
    function: at === 19 ? name : `step${at}`,
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
    user: { id: number * 5 },
    exception: { values: [{ type: 'TypeError', value: `order ${number} failed`, stacktrace: { frames } }] },
  }
  return `{}\n{"type":"event"}\n${JSON.stringify(event)}\n`
}

/** Sends so many events, and hears the answer to each. */
async function sendFor(url: string, amount: number) {
  const requests = Array.from({ length: ERRORS }, (_, number) => ({
    method: 'POST' as const,
    body: envelope(number),
  }))
  const found = await autocannon({ url, connections: SENDERS, amount, requests })
  const limited = found.statusCodeStats?.['429']?.count ?? 0
  if (found.non2xx > limited || found.errors > 0)
    throw new Error(`${found.non2xx} events were refused, ${found.errors} got no answer`)
  return { kept: found['2xx'], limited, latency: found.latency }
}
