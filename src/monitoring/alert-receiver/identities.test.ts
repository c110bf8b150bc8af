import { createHash } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { bearer, type Monitored, monitored } from './test-support.ts'

const zabbix = (event_id: unknown, event_value = '1') => ({ event_id, event_value, event_name: 'CPU' })
const kuma = (id: unknown, status = 0) => ({
  heartbeat: { monitorID: id, status },
  monitor: { id, name: 'Shop' },
  msg: 'down',
})
/** Integrations of one project, for programs with these presets. */
async function several(...presets: readonly string[]): Promise<Monitored[]> {
  const p = await w.project()
  const made: Monitored[] = []
  await w.onPlan('premium', async () => {
    for (const preset of presets) made.push(await monitored(preset === '' ? {} : { preset }, p))
  })
  return made
}

const states = async (m: Pick<Monitored, 'alerts'>) =>
  (await m.alerts()).map(({ title, status }) => [title, status])

test('events of different programs with the same number are different alerts', async () => {
  const [a, b, c] = (await several('zabbix', 'uptime_kuma', 'zabbix')) as [Monitored, Monitored, Monitored]
  await a.send(zabbix('77'))
  await b.send(kuma(77))
  await c.send(zabbix(77))
  expect(await states(a)).toEqual([
    ['CPU', 'triggered'],
    ['Shop', 'triggered'],
    ['CPU', 'triggered'],
  ])
  await b.send(kuma(77, 1))
  await c.send(zabbix('77', '0'))
  expect(await states(a)).toEqual([
    ['CPU', 'triggered'],
    ['Shop', 'resolved'],
    ['CPU', 'resolved'],
  ])
  await a.send(zabbix('77', '0'))
  expect((await states(a)).map(([, status]) => status)).toEqual(['resolved', 'resolved', 'resolved'])
})

test('a fingerprint that somebody chose is that of the whole project, as it was', async () => {
  const [a, b] = (await several('', 'grafana')) as [Monitored, Monitored]
  const { body: first } = await a.send({ title: 'One', fingerprint: 'chosen' })
  const { body: second } = await b.send({ title: 'One', fingerprint: 'chosen' })
  expect(second).toEqual(first)
  expect((await a.alert(first[0].iid)).fingerprint).toBe(createHash('sha1').update('chosen').digest('hex'))
})

test.each([0, '0', '', ' ', false, null])('%j is no fingerprint', async (fingerprint) => {
  const m = await monitored()
  await m.send({ title: 'One', fingerprint })
  await m.send({ title: 'Two', fingerprint })
  expect(await states(m)).toEqual([
    ['One', 'triggered'],
    ['Two', 'triggered'],
  ])
})

test('rules of Grafana that have no number yet are told apart by their names', async () => {
  const m = await monitored({ preset: 'grafana' })
  for (const [ruleName, state] of [
    ['Latency', 'alerting'],
    ['Errors', 'alerting'],
    ['Latency', 'ok'],
  ])
    await m.send({ ruleId: 0, ruleName, state })
  expect(await states(m)).toEqual([
    ['Latency', 'resolved'],
    ['Errors', 'triggered'],
  ])
})

test('an alert from before, which did not say whose number it has, is resolved by its own integration alone', async () => {
  const [a, b] = (await several('zabbix', 'uptime_kuma')) as [Monitored, Monitored]
  const { body } = await a.send(zabbix('78'))
  const fingerprint = createHash('sha1').update('78').digest('hex')
  const { rowCount } = await w.running.services.pool.query(
    'update alerts set fingerprint = $1 where project_id = $2',
    [fingerprint, a.id],
  )
  expect(rowCount).toBe(1)
  await b.send(kuma(78))
  await b.send(kuma(78, 1))
  expect(await a.alert(body[0].iid)).toMatchObject({ status: 'triggered', event_count: 1 })
  await a.send(zabbix(78))
  expect(await a.alert(body[0].iid)).toMatchObject({ status: 'triggered', event_count: 2 })
  await a.send(zabbix(78, '0'))
  expect(await a.alert(body[0].iid)).toMatchObject({ status: 'resolved' })
  expect(await a.alerts()).toHaveLength(2)
})

/** Sends bytes, whatever they are. */
async function sendBytes(m: Monitored, bytes: Buffer, coding: string, key = m.key) {
  const headers = { ...bearer(key), 'content-type': 'application/json', 'content-encoding': coding }
  const answer = await fetch(m.url, { method: 'POST', headers, body: new Uint8Array(bytes) })
  return { status: answer.status, body: await answer.json().catch(() => undefined) }
}

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const)('a payload in %s is read, and one that is none is refused', async (coding, compress) => {
  const m = await monitored()
  const payload = Buffer.from(JSON.stringify({ title: 'Small', description: 'x'.repeat(500_000) }))
  expect((await sendBytes(m, compress(payload), coding)).status).toBe(200)
  expect(await states(m)).toEqual([['Small', 'triggered']])
  expect(await sendBytes(m, payload, coding)).toMatchObject({
    status: 400,
    body: { message: '400 Bad request - the body cannot be decompressed' },
  })
})

test('a payload that becomes too large, or that nobody can decompress, is refused', async () => {
  const m = await monitored()
  const bomb = gzipSync(Buffer.alloc(30 * 1024 * 1024, ' '))
  expect((await sendBytes(m, bomb, 'gzip')).status).toBe(413)
  expect(await sendBytes(m, bomb, 'rot13')).toMatchObject({
    status: 415,
    body: { message: '415 Unsupported Media Type - the content encoding rot13 is not known' },
  })
  // Nothing is decompressed for strangers.
  expect((await sendBytes(m, bomb, 'rot13', 'wrong')).status).toBe(401)
})
