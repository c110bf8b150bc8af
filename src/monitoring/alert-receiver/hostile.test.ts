import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { element, metrics, type Monitored, monitored } from './test-support.ts'

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

test(
  `no payload is answered with a 5xx, and none fills the memory (${runs} tried)`,
  { timeout: 60_000 + runs * 100 },
  async () => {
    let before = 0
    let tried = 0
    const outcomes = new Set<number>()
    await fc.assert(
      fc.asyncProperty(fc.oneof(generic, grouped, bytes), async (payload) => {
        const { status, text: answer } = await m.send(payload)
        outcomes.add(status)
        tried += 1
        if (tried === Math.min(2_000, Math.floor(runs / 2))) before = process.memoryUsage().rss
        expect([status, answer]).toEqual([
          expect.toSatisfy((code: number) => [200, 400, 422].includes(code)),
          answer,
        ])
      }),
      { numRuns: runs },
    )
    expect(outcomes).toContain(200)
    expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(200)
  },
)
