import { beforeAll, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { element, metrics, monitored } from './test-support.ts'
import { readPath, valueAt, without } from './payload/paths.ts'

test.each<[string, unknown]>([
  ['a.b', 1],
  ['$.a.b', 1],
  ['$.list[1].c', 2],
  ["a['b']", 1],
  ['["a"].b', 1],
  ['a["with space"]', 3],
  ['a.missing', undefined],
  ['list.length', undefined],
  ['a.__proto__', undefined],
  ['constructor', undefined],
])('the path %s leads to %j', (text, value) => {
  const payload = { a: { b: 1, 'with space': 3 }, list: [{}, { c: 2 }] }
  expect(valueAt(payload, readPath(text) ?? [])).toEqual(value)
})

test.each(['', '.a', 'a.', 'a..b', 'a[', 'a[b]', "a['b", 'a b', '[', 'a[-1]', 'a.'.repeat(30)])(
  '%j is no path',
  (text) => expect(readPath(text)).toBeUndefined(),
)

test('taking a value out changes nothing else', () => {
  const payload = { a: { b: 1, c: 2 }, d: [1, { e: 2 }] }
  expect(without(payload, ['a', 'b'])).toEqual({ a: { c: 2 }, d: [1, { e: 2 }] })
  expect(without(payload, ['d', 1, 'e'])).toEqual({ a: { b: 1, c: 2 }, d: [1, {}] })
  expect(without(payload, ['x', 'y'])).toBe(payload)
  expect(payload.a.b).toBe(1)
})

const mapping = {
  title: ['event.name', 'event.summary'],
  severity: ['event.level'],
  fingerprint: ['event.key'],
  end_time: ['event.closed'],
  hosts: ['machines'],
}

test('a mapping says where the fields are, with fallbacks, and the names of fields count besides', async () => {
  await w.onPlan('premium', async () => {
    const sample = JSON.stringify({ event: { name: 'N', level: 'low', key: 1, closed: '' }, machines: ['m'] })
    const m = await monitored({ mapping, sample_payload: sample })
    await m.send({
      event: { name: 'Named', level: 'LOW', key: 'k' },
      machines: ['m1', 'm2'],
      description: 'Plain',
    })
    expect(await m.alert(1)).toMatchObject({
      title: 'Named',
      severity: 'low',
      hosts: ['m1', 'm2'],
      description: 'Plain',
    })
    expect(
      (await m.send({ event: { summary: 'Other', key: 'k', closed: '2026-01-31T10:00:00Z' } })).body,
    ).toEqual([{ iid: 1, title: 'Named' }])
    expect((await m.alert(1)).status).toBe('resolved')
    await m.send({ event: { summary: 'Second way' }, title: 'Last way' })
    await m.send({ event: {}, title: 'Last way' })
    expect((await m.alerts()).slice(1).map(({ title }) => title)).toEqual(['Second way', 'Last way'])
  })
})

test('a mapping of the metrics format is one of an element of alerts', async () => {
  await w.onPlan('ultimate', async () => {
    const sample_payload = JSON.stringify({ labels: { job: 'x' }, annotations: { kind: 'y' } })
    const m = await monitored({
      type: 'prometheus',
      mapping: { title: ['annotations.kind'], service: ['labels.job'], fingerprint: ['labels.job'] },
      sample_payload,
    })
    await m.send(
      metrics(element({ labels: { alertname: 'A', job: 'shop' }, annotations: { kind: 'Mapped' } })),
    )
    await m.send(metrics(element({ labels: { alertname: 'B', job: 'shop' }, annotations: {} })))
    expect(await m.alert(1)).toMatchObject({ title: 'Mapped', service: 'shop', event_count: 2 })
  })
})

test('a mapping waits while no plan allows it', async () => {
  const m = await w.onPlan('premium', () => monitored({ mapping }))
  await m.send({ event: { name: 'Named' } })
  expect((await m.alert(1)).title).toBe('New: Alert')
})

test.each([
  [{ mapping: { title: ['a..b'] } }, { 'mapping[title]': ['has no path in “a..b”'] }],
  [
    { mapping: { title: ['a.b', 'c'] }, sample_payload: '{"a":{}}' },
    { 'mapping[title]': ['leads to nothing in the sample payload'] },
  ],
  [{ sample_payload: '{"a":' }, { sample_payload: ['is not a JSON object'] }],
  [{ sample_payload: '[1]' }, { sample_payload: ['is not a JSON object'] }],
])('%j is refused', async (given, message) => {
  const p = await w.project()
  await w.onPlan('premium', async () => {
    const path = `/projects/${p.id}/alert_management/integrations`
    expect(await p.maintainer.post(path, { name: 'x', ...given })).toMatchObject({
      status: 400,
      body: { message },
    })
  })
})

type Sent = readonly [payload: object, expected: object]
const kuma = (status: number, msg: string) => ({
  heartbeat: { monitorID: 7, status, time: '2026-01-31 09:00:00.000', msg, important: true },
  monitor: { id: 7, name: 'Shop', type: 'http', url: 'https://shop.example.com' },
  msg: `[Shop] ${msg}`,
})
const senders: Readonly<Record<string, readonly Sent[]>> = {
  uptime_kuma: [
    [
      kuma(0, 'timeout'),
      {
        title: 'Shop',
        description: '[Shop] timeout',
        status: 'triggered',
        hosts: ['https://shop.example.com'],
        started_at: '2026-01-31T09:00:00.000Z',
      },
    ],
    [kuma(1, '200 - OK'), { status: 'resolved' }],
  ],
  healthchecks: [
    [
      { name: 'Backup', code: 'e1b2', status: 'down', time: '2026-01-31T09:00:00+00:00', tags: 'prod db' },
      {
        title: 'Backup',
        status: 'triggered',
        description: 'prod db',
        started_at: '2026-01-31T09:00:00.000Z',
      },
    ],
    [
      { name: 'Backup', code: 'e1b2', status: 'up', time: '2026-01-31T10:00:00+00:00' },
      { status: 'resolved' },
    ],
  ],
  zabbix: [
    [
      { event_id: '42', event_value: '1', event_name: 'CPU', event_severity: 'Average', host_name: 'db-1' },
      { title: 'CPU', severity: 'medium', hosts: ['db-1'], status: 'triggered' },
    ],
    [
      { event_id: '42', event_value: '0', event_name: 'CPU', event_severity: 'Average', host_name: 'db-1' },
      { status: 'resolved' },
    ],
  ],
  grafana: [
    [
      {
        ruleId: 5,
        ruleName: 'Latency',
        state: 'alerting',
        message: 'Slow',
        title: '[Alerting] Latency',
        evalMatches: [],
      },
      { title: 'Latency', description: 'Slow', status: 'triggered' },
    ],
    [{ ruleId: 5, ruleName: 'Latency', state: 'ok', title: '[OK] Latency' }, { status: 'resolved' }],
  ],
}

let p: Awaited<ReturnType<typeof w.project>>
beforeAll(async () => {
  p = await w.project()
})

test.each(Object.entries(senders))(
  'the preset %s reads what that program sends, on any plan',
  async (preset, sent) => {
    const m = await monitored({ preset }, await w.project())
    for (const [payload, expected] of sent) {
      expect((await m.send(payload)).body).toMatchObject([{ iid: 1 }])
      expect(await m.alert(1)).toMatchObject(expected)
    }
  },
)

test("Grafana's contact point is of the metrics format", async () => {
  const m = await monitored({ preset: 'grafana' }, p)
  const firing = element({ fingerprint: 'f', silenceURL: 'http://g', values: { B: 22 }, dashboardURL: '' })
  const more = { title: '[FIRING:1] HighLoad', state: 'alerting', message: '**Firing**', orgId: 1 }
  await m.send({ ...metrics(firing), ...more, version: '1' })
  await m.send({
    ...metrics({ ...firing, status: 'resolved', endsAt: '2026-01-31T10:00:00Z' }),
    ...more,
    version: '1',
  })
  expect(await m.alert(1)).toMatchObject({
    title: 'HighLoad',
    status: 'resolved',
    payload_kind: 'prometheus',
  })
})
