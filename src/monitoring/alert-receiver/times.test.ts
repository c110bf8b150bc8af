import { beforeAll, describe, expect, test } from 'vitest'
import { element, metrics, type Monitored, monitored } from './test-support.ts'

let m: Monitored
beforeAll(async () => {
  m = await monitored()
})

let serial = 0
const fresh = () => ({ title: 'Late', fingerprint: `time-${(serial += 1)}` })

/** What became of a payload. */
async function made(payload: object) {
  const { status, body } = await m.send(payload)
  expect(status).toBe(200)
  return m.alert(body[0].iid)
}

const written = [
  '2020-01-01 00:00:00 UTC',
  '2020-01-01 00:00:00 +0000',
  '2020-01-01 01:00:00.123456789 +0100 CET m=+0.5',
  'Wed Jan 01 00:00:00 UTC 2020',
  '2020-01-01T01:00:00.000000001+01:00[Europe/Paris]',
  '2020-01-01 00:00:00+00',
  '20200101T000000Z',
  '2020-01-01 00:00:00,000',
  '2020-01-01T00:00:00.000000Z',
  'Wed, 01 Jan 2020 00:00:00 +0000',
]

describe.each(written)('the time %s', (time) => {
  test('begins and ends an alert', async () => {
    const alert = fresh()
    const open = await made({ ...alert, start_time: time })
    expect(open).toMatchObject({
      status: 'triggered',
      started_at: expect.stringMatching(/^2020-01-01T00:00:00/),
    })
    const over = await made({ ...alert, end_time: time })
    expect(over).toMatchObject({
      iid: open.iid,
      status: 'resolved',
      ended_at: expect.stringMatching(/^2020-01-01T00:00:00/),
    })
  })

  test('begins and ends an alert of the metrics format', async () => {
    const labels = { alertname: 'Late', serial: `${(serial += 1)}` }
    const open = await made(metrics(element({ labels, startsAt: time })))
    expect(open).toMatchObject({
      status: 'triggered',
      started_at: expect.stringMatching(/^2020-01-01T00:00:00/),
    })
    const over = await made(metrics(element({ labels, startsAt: time, endsAt: time, status: undefined })))
    expect(over).toMatchObject({ iid: open.iid, status: 'resolved' })
  })
})

test.each([
  0,
  1,
  true,
  '0',
  '1',
  '',
  'not yet, attempt 1',
  'never',
  '2020-13-01',
  '0001-01-01 00:00:00 +0000 UTC',
  null,
])('no alert is over at its birth for the end %j', async (end_time) => {
  expect(await made({ ...fresh(), end_time })).toMatchObject({ status: 'triggered', ended_at: null })
})

test('an alert of the metrics format whose start cannot be read begins now, and the others are as they were', async () => {
  const labels = (name: string) => ({ alertname: name, serial: `${(serial += 1)}` })
  const { status, body } = await m.send(
    metrics(
      element({ labels: labels('Vague'), startsAt: 'soon' }),
      element({ labels: labels('Exact'), startsAt: '2020-01-01 00:00:00 UTC' }),
    ),
  )
  expect(status).toBe(200)
  const [vague, exact] = await Promise.all(body.map(({ iid }: { iid: number }) => m.alert(iid)))
  expect(exact.started_at).toBe('2020-01-01T00:00:00.000Z')
  expect(vague.started_at).toBe(vague.created_at)
})
