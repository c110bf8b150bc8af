import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { MeasuredServer } from '#test/measured-server.ts'
import { w } from '#test/world.ts'
import { bearer, element, metrics, type Monitored, monitored, sendTo } from './test-support.ts'

/** Few here; `ALERT_PAYLOADS=20000` tries as many as the nightly run does. */
const runs = Number(process.env['ALERT_PAYLOADS'] ?? 60)

let m: Monitored
beforeAll(async () => {
  m = await monitored()
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '\0',
    '\u{d800}',
    '{{',
    '%{x}',
    "'; drop table alerts; --",
    '2026-02-30T25:61:00Z',
    '-infinity',
    'null',
  ),
)
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  text,
  fc.double(),
  fc.maxSafeInteger(),
  fc.array(text, { maxLength: 4 }),
)
const names = [
  'title',
  'description',
  'start_time',
  'end_time',
  'service',
  'monitoring_tool',
  'hosts',
  'severity',
  'fingerprint',
  'gitlab_environment_name',
  '__proto__',
  'constructor',
  'payload',
]
const generic = fc.dictionary(fc.oneof(fc.constantFrom(...names), text), value, { maxKeys: 12 })
const hash = fc.oneof(
  fc.dictionary(
    fc.oneof(fc.constantFrom('alertname', 'severity', 'title', 'summary', 'runbook'), text),
    value,
    { maxKeys: 6 },
  ),
  value,
)
const part = fc.record(
  { labels: hash, annotations: hash, startsAt: value, endsAt: value, status: value, generatorURL: value },
  { requiredKeys: [] },
)
const grouped = fc
  .array(
    fc.oneof(
      part,
      part.map((some) => element(some)),
      value,
    ),
    { maxLength: 6 },
  )
  .chain((alerts) =>
    fc.dictionary(text, value, { maxKeys: 3 }).map((more) => ({ ...more, ...metrics(...alerts) })),
  )
const bytes = fc.uint8Array({ maxLength: 200 }).map((some) => Buffer.from(some).toString('latin1'))

/** From so many payloads on, a server in a process of its own answers, whose memory says whether some of it leaks. */
const MEASURED = 2_000

test(
  `no payload is answered with a 5xx${runs < MEASURED ? '' : ', and memory stays flat'} (${runs} tried)`,
  { timeout: 60_000 + runs * 100 },
  async () => {
    await using server = runs < MEASURED ? undefined : await MeasuredServer.start(w)
    const memory: number[] = []
    let tried = 0
    const outcomes = new Set<number>()
    await fc.assert(
      fc.asyncProperty(fc.oneof(generic, grouped, bytes), async (payload) => {
        const url = server === undefined ? m.url : m.url.replace(w.url, server.url)
        const { status, text: answer } = await sendTo(url, payload, bearer(m.key))
        outcomes.add(status)
        tried += 1
        if (server !== undefined && tried % Math.ceil(runs / 10) === 0)
          memory.push((await server.measure('collected')).rss / 1024 / 1024)
        expect([status, answer]).toEqual([
          expect.toSatisfy((code: number) => [200, 400, 422].includes(code)),
          answer,
        ])
      }),
      { numRuns: runs },
    )
    expect(outcomes).toContain(200)
    if (server === undefined) return
    console.log(`megabytes after each tenth: ${memory.map((one) => one.toFixed(0)).join(' ')}`)
    expect((memory.at(-1) ?? Infinity) - (memory[2] ?? 0)).toBeLessThan(50)
  },
)
