import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { bearer, element, metrics, monitored, sendTo } from './test-support.ts'

const shown = (alerts: readonly { iid: number; status: string; event_count: number }[]) =>
  alerts.map(({ iid, status, event_count }) => [iid, status, event_count])

test('a payload without a matching alert makes one, and the answer has its number and title', async () => {
  const m = await monitored()
  expect(await m.send({ title: 'First' })).toMatchObject({ status: 200, body: [{ iid: 1, title: 'First' }] })
  expect((await m.send({ title: 'Second' })).body).toEqual([{ iid: 2, title: 'Second' }])
})

test('the same payload is counted, whatever its start and hosts', async () => {
  const m = await monitored()
  const payload = { title: 'Same', nested: { b: 1, a: [2] } }
  for (const more of [{}, { start_time: '2026-01-01T00:00:00Z' }, { hosts: ['x'] }, { hosts: 'y' }])
    expect((await m.send({ ...payload, ...more })).body).toEqual([{ iid: 1, title: 'Same' }])
  await m.send({ nested: { a: [2], b: 1 }, title: 'Same' })
  expect(shown(await m.alerts())).toEqual([[1, 'triggered', 5]])
  await m.send({ ...payload, title: 'Another' })
  expect((await m.alerts()).length).toBe(2)
})

test('a fingerprint groups payloads that differ, and the end of one resolves the alert', async () => {
  const m = await monitored()
  await m.send({ title: 'A', fingerprint: 'one' })
  await m.send({ title: 'B', fingerprint: 'one' })
  const over = await m.send({ title: 'C', fingerprint: 'one', end_time: '2026-01-31T10:00:00Z' })
  expect(over.body).toEqual([{ iid: 1, title: 'A' }])
  expect(shown(await m.alerts())).toEqual([[1, 'resolved', 2]])
  expect((await m.alert(1)).ended_at).toBe('2026-01-31T10:00:00.000Z')
})

test('after an alert is resolved, the same payload makes another', async () => {
  const m = await monitored()
  const payload = { title: 'Again', fingerprint: ['a', 'b'] }
  await m.send(payload)
  await m.send({ ...payload, end_time: '2026-01-31T10:00:00Z' })
  expect((await m.send(payload)).body).toEqual([{ iid: 2, title: 'Again' }])
  expect(shown(await m.alerts())).toEqual([
    [1, 'resolved', 1],
    [2, 'triggered', 1],
  ])
})

test('the end of an alert that nobody knows is an alert that is resolved, however often it is told', async () => {
  const m = await monitored()
  const over = { title: 'Gone', fingerprint: 'x', end_time: '2026-01-31T10:00:00Z' }
  for (const _ of [1, 2]) expect((await m.send(over)).body).toEqual([{ iid: 1, title: 'Gone' }])
  expect(shown(await m.alerts())).toEqual([[1, 'resolved', 1]])
})

test('without the feature flag, only a given fingerprint resolves; with it, one is computed', async () => {
  const m = await monitored()
  const flag = '/features/generic_alert_fingerprinting'
  const over = { title: 'Plain', end_time: '2026-01-31T10:00:00Z' }
  await m.send({ title: 'Plain' })
  await m.send(over)
  expect((await m.alerts()).map(({ status, fingerprint }) => [status, fingerprint])).toEqual([
    ['triggered', null],
    ['resolved', null],
  ])
  const other = await monitored()
  await w.root.post(flag, { value: true, project: other.fullPath })
  await expect
    .poll(() => w.running.services.featureFlags.isOn('generic_alert_fingerprinting', { project: other }))
    .toBe(true)
  await other.send({ title: 'Plain', hosts: ['a'] })
  await other.send({ ...over, hosts: ['b'] })
  const [alert] = await other.alerts()
  expect([alert?.status, alert?.event_count]).toEqual(['resolved', 1])
  expect(alert?.fingerprint).toMatch(/^[0-9a-f]{40}$/)
  expect((await other.alerts()).length).toBe(1)
  await w.root.delete(flag)
})

test('elements of the metrics format are the same alert when their labels are', async () => {
  const m = await monitored()
  const [a, b] = ['a', 'b'].map((instance) => ({ labels: { alertname: 'Load', instance } }))
  expect((await m.send(metrics(element(a), element(b)))).body).toEqual([
    { iid: 1, title: 'Load' },
    { iid: 2, title: 'Load' },
  ])
  await m.send(
    metrics(element({ ...a, annotations: { summary: 'Load is 93' }, startsAt: '2026-02-01T00:00:00Z' })),
  )
  await m.send(metrics(element({ ...b, status: 'resolved', endsAt: '2026-01-31T10:00:00Z' })))
  expect(shown(await m.alerts())).toEqual([
    [1, 'triggered', 2],
    [2, 'resolved', 1],
  ])
})

test('one payload may tell of the beginning, the end and another beginning', async () => {
  const m = await monitored()
  const over = element({ status: 'resolved', endsAt: '2026-01-31T10:00:00Z' })
  const { body } = await m.send(metrics(element(), element(), over, element()))
  expect(body.map(({ iid }: { iid: number }) => iid)).toEqual([1, 1, 1, 2])
  expect(shown(await m.alerts())).toEqual([
    [1, 'resolved', 2],
    [2, 'triggered', 1],
  ])
})

test('an alert that somebody acknowledged or ignored is still open', async () => {
  const m = await monitored()
  for (const status of ['acknowledged', 'ignored']) {
    await m.send({ title: status })
    const [alert] = (await m.alerts()).slice(-1)
    await m.developer.put(`/projects/${m.id}/alert_management_alerts/${alert.iid}`, { status })
    expect((await m.send({ title: status })).body).toEqual([{ iid: alert.iid, title: status }])
    expect(await m.alert(alert.iid)).toMatchObject({ status, event_count: 2 })
  }
})

test('50 equal payloads at once are one alert, counted 50 times', async () => {
  const m = await monitored()
  const answers = await Promise.all(Array.from({ length: 50 }, () => m.send({ title: 'Storm' })))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
    new Set(['200 [{"iid":1,"title":"Storm"}]']),
  )
  expect(shown(await m.alerts())).toEqual([[1, 'triggered', 50]])
})

test('two servers count equal payloads together, and number alerts without taking a number twice', async () => {
  const m = await monitored()
  const other = await w.another()
  try {
    const urls = [m.url, m.url.replace(w.url, other.url)]
    const sent = Array.from({ length: 40 }, (_, index) => ({
      url: urls[index % 2] ?? '',
      payload: { title: index < 20 ? 'Same' : `Own ${index}` },
    }))
    const answers = await Promise.all(sent.map(({ url, payload }) => sendTo(url, payload, bearer(m.key))))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const alerts = await m.alerts()
    expect(alerts.filter(({ title }) => title === 'Same').map(({ event_count }) => event_count)).toEqual([20])
    expect(new Set(alerts.map(({ iid }) => iid)).size).toBe(21)
  } finally {
    await other.stop()
  }
})

test('reports and people who resolve the same alert at once never fail', async () => {
  const m = await monitored()
  await m.send({ title: 'Contested', fingerprint: 'c' })
  const path = `/projects/${m.id}/alert_management_alerts/1`
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      index % 4 === 0
        ? m.developer.put(path, { status: index % 8 === 0 ? 'resolved' : 'triggered' })
        : m.send({
            fingerprint: 'c',
            ...(index % 4 === 1 && { end_time: `2026-01-31T10:00:${10 + index}Z` }),
          }),
    ),
  )
  expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([])
  const open = (await m.alerts()).filter(({ status }) => status !== 'resolved')
  expect(open.length).toBeLessThanOrEqual(1)
})
