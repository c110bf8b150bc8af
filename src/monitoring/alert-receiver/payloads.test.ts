import { beforeAll, describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { element, metrics, type Monitored, monitored } from './test-support.ts'

let m: Monitored
let serial = 0
beforeAll(async () => {
  m = await monitored()
})

/** Sends a payload that makes a new alert, and reads that. */
async function made(payload: object) {
  const { status, body } = await m.send(payload)
  expect([status, body.length]).toEqual([200, 1])
  return m.alert(body[0].iid)
}

/** A generic payload that is like no other. */
const generic = (more: object) => ({ serial: (serial += 1), ...more })
/** An element of the metrics format that is like no other. */
const one = (more: { labels?: object; annotations?: object } & Record<string, unknown> = {}) =>
  metrics(
    element({ ...more, labels: { alertname: 'HighLoad', serial: String((serial += 1)), ...more.labels } }),
  )

describe('a generic payload', () => {
  test.each([
    [
      { title: 'Disk full' },
      { title: 'Disk full', status: 'triggered', event_count: 1, payload_kind: 'generic' },
    ],
    [{}, { title: 'New: Alert', description: null, severity: 'critical', hosts: [], service: null }],
    [{ title: '' }, { title: 'New: Alert' }],
    [{ title: 7 }, { title: '7' }],
    [{ title: { a: 1 } }, { title: 'New: Alert' }],
    [{ title: 'x'.repeat(300) }, { title: `${'x'.repeat(199)}…` }],
    [{ description: 'Only 3 % left' }, { description: 'Only 3 % left' }],
    [{ start_time: '2026-01-02T03:04:05Z' }, { started_at: '2026-01-02T03:04:05.000Z', ended_at: null }],
    [{ start_time: '2026-01-02T03:04:05+02:00' }, { started_at: '2026-01-02T01:04:05.000Z' }],
    [{ start_time: '2026-01-02 03:04:05' }, { started_at: '2026-01-02T03:04:05.000Z' }],
    [{ start_time: '2026-01-02' }, { started_at: '2026-01-02T00:00:00.000Z' }],
    [{ start_time: 1_767_323_045 }, { started_at: '2026-01-02T03:04:05.000Z' }],
    [{ service: 'shop' }, { service: 'shop' }],
    [{ monitoring_tool: 'Nagios' }, { monitoring_tool: 'Nagios' }],
    [{ hosts: 'a.example.com' }, { hosts: ['a.example.com'] }],
    [{ hosts: ['a', 'b', 3, { c: 1 }, ''] }, { hosts: ['a', 'b', '3'] }],
    [{ severity: 'HIGH' }, { severity: 'high' }],
    [{ severity: 'Medium' }, { severity: 'medium' }],
    [{ severity: 'low' }, { severity: 'low' }],
    [{ severity: 'info' }, { severity: 'info' }],
    [{ severity: 'unknown' }, { severity: 'unknown' }],
    [{ severity: 'warning' }, { severity: 'critical' }],
    [{ severity: null }, { severity: 'critical' }],
    [{ service_environment_name: 'production' }, { environment: 'production' }],
    [{ gitlab_environment_name: 'staging' }, { environment: 'staging' }],
    [{ extra: { deep: [1, { x: null }] } }, { title: 'New: Alert' }],
  ])('%j', async (payload, expected) => {
    const sent = generic(payload)
    expect(await made(sent)).toMatchObject({ ...expected, payload: sent })
  })

  test('starts now unless it says when', async () => {
    const alert = await made(generic({ start_time: 'yesterday, or so' }))
    expect(alert.started_at).toBe(alert.created_at)
  })

  test('shows a fingerprint that it gives, and none otherwise', async () => {
    expect((await made(generic({ fingerprint: 'disk 1' }))).fingerprint).toMatch(/^[0-9a-f]{40}$/)
    expect((await made(generic({ fingerprint: ['disk', 1] }))).fingerprint).toMatch(/^[0-9a-f]{40}$/)
    expect((await made(generic({}))).fingerprint).toBeNull()
  })

  test('keeps what no database can hold as replacements', async () => {
    const alert = await made(generic({ title: 'a\u{0}b\u{d800}', deep: { ['k\u{0}']: ['\u{0}'] } }))
    expect(alert.title).toBe('a\u{fffd}b\u{fffd}')
    expect(alert.payload.deep).toEqual({ 'k\u{fffd}': ['\u{fffd}'] })
  })
})

describe('an element of the metrics format', () => {
  test('has every field', async () => {
    const alert = await made(
      one({
        labels: { severity: 'warning', service_environment_name: 'production' },
        annotations: {
          title: 'Load',
          description: 'Too much',
          service_incident_markdown: '**Look**',
          service_y_label: 'Load',
          runbook: 'https://runbooks.example.com/load',
          other: 'kept',
        },
      }),
    )
    expect(alert).toMatchObject({
      title: 'Load',
      description: 'Too much',
      severity: 'low',
      status: 'triggered',
      payload_kind: 'prometheus',
      monitoring_tool: 'Prometheus',
      environment: 'production',
      runbook: 'https://runbooks.example.com/load',
      metrics_query: 'up == 0',
      metrics_y_label: 'Load',
      service_incident_markdown: '**Look**',
      started_at: '2026-01-31T09:00:00.000Z',
      ended_at: null,
    })
    expect(alert.payload.annotations.other).toBe('kept')
    expect(alert.fingerprint).toMatch(/^[0-9a-f]{40}$/)
  })

  test.each([
    [{ annotations: { title: 'T', summary: 'S' } }, { title: 'T', metrics_y_label: 'T' }],
    [{ annotations: { summary: 'S' } }, { title: 'S', metrics_y_label: 'S' }],
    [{}, { title: 'HighLoad', metrics_y_label: 'HighLoad' }],
    [{ annotations: { gitlab_y_label: 'Y' } }, { metrics_y_label: 'Y' }],
    [{ annotations: { gitlab_incident_markdown: 'M' } }, { service_incident_markdown: 'M' }],
    [{ labels: { gitlab_environment_name: 'e' } }, { environment: 'e' }],
    [{ generatorURL: 'not a URL' }, { metrics_query: null }],
    [{ generatorURL: '/graph?g0.expr=a' }, { metrics_query: 'a' }],
    [
      { status: undefined, endsAt: '2026-01-31T10:00:00Z' },
      { status: 'resolved', ended_at: '2026-01-31T10:00:00.000Z' },
    ],
    [
      { status: 'resolved', endsAt: '2026-01-31T10:00:00Z' },
      { status: 'resolved', ended_at: '2026-01-31T10:00:00.000Z' },
    ],
    [{ status: undefined }, { status: 'triggered', ended_at: null }],
    [
      { status: 'firing', endsAt: '2999-01-01T00:00:00Z' },
      { status: 'triggered', ended_at: null },
    ],
  ])('%j', async (more, expected) => {
    expect(await made(one(more))).toMatchObject(expected)
  })

  const words = {
    critical: ['critical', 's1', 'p1', 'emergency', 'fatal', 'CRITICAL', 'anything'],
    high: ['high', 's2', 'p2', 'major', 'page', 'High'],
    medium: ['medium', 's3', 'p3', 'error', 'alert'],
    low: ['low', 's4', 'p4', 'warn', 'warning'],
    info: ['info', 's5', 'p5', 'debug', 'information', 'NOTICE'],
  }
  test('has the severity that its word stands for, in any case', async () => {
    const all = Object.entries(words).flatMap(([severity, of]) => of.map((word) => ({ severity, word })))
    const elements = all.map(({ word }) =>
      element({ labels: { alertname: `Severity ${word}`, severity: word } }),
    )
    const { body } = await m.send(metrics(...elements))
    const listed = (
      await m.developer.get(`/projects/${m.id}/alert_management_alerts?search=Severity&per_page=100`)
    ).body
    const found = new Map(
      listed.map((alert: { iid: number; severity: string }) => [alert.iid, alert.severity]),
    )
    expect(body.map(({ iid }: { iid: number }) => found.get(iid))).toEqual(
      all.map(({ severity }) => severity),
    )
  })

  test.each([
    [{ labels: { x: '1' }, annotations: {} }, 'has no title'],
    [element({ startsAt: undefined }), 'has no startsAt'],
    [element({ startsAt: ' ' }), 'has no startsAt'],
    ['text', 'is not an object'],
  ])('is refused with all others when it lacks something: %j', async (wrong, reason) => {
    const before = await m.send(generic({}))
    const { status, body } = await m.send(metrics(element({ labels: { alertname: 'Fine' } }), wrong))
    expect([status, body.message]).toEqual([422, `422 Unprocessable Entity - alerts[1] ${reason}`])
    const after = await m.send(generic({}))
    expect(after.body[0].iid).toBe(before.body[0].iid + 1)
  })

  test('none is nothing to do', async () => {
    expect(await m.send(metrics())).toMatchObject({ status: 200, body: [] })
  })
})

describe('the format', () => {
  test.each([
    'alerts',
    'commonAnnotations',
    'commonLabels',
    'externalURL',
    'groupKey',
    'groupLabels',
    'receiver',
    'status',
    'version',
  ])('is generic without %s', async (name) => {
    const { [name]: _, ...rest } = { ...metrics(element()), serial: (serial += 1) } as Record<string, unknown>
    expect(await made(rest)).toMatchObject({ payload_kind: 'generic', title: 'New: Alert' })
  })

  test('must be that of metrics at an integration, and at a URL, of that type', async () => {
    const url = `${w.url}/${m.fullPath}/prometheus/alerts/notify.json`
    const headers = { authorization: `Bearer ${m.key}` }
    expect((await w.anonymous.post(url, { title: 'x' }, { headers })).status).toBe(422)
    expect((await w.anonymous.post(url, one(), { headers })).status).toBe(200)
    const other = await monitored({ type: 'prometheus' })
    expect((await other.send({ title: 'x' })).status).toBe(422)
    expect((await other.send(one())).status).toBe(200)
  })
})
