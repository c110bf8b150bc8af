import { beforeAll, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { bearer, element, metrics, type Monitored, monitored, sendTo } from './test-support.ts'

let m: Monitored
let other: Monitored
beforeAll(async () => {
  m = await monitored()
  other = await monitored()
})

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
const unnamed = () => `${w.url}/${m.fullPath}/alerts/notify.json`

test.each<[string, () => Record<string, string>, number]>([
  ['a bearer token', () => bearer(m.key), 200],
  ['a bearer token with the scheme in another case', () => ({ authorization: `bearer ${m.key}` }), 200],
  ['Basic with a blank username', () => basic(`:${m.key}`), 200],
  ['Basic with a username', () => basic(`monitor:${m.key}`), 200],
  ['nothing', () => ({}), 401],
  ['a wrong key', () => bearer('0'.repeat(64)), 401],
  ['a part of the key', () => bearer(m.key.slice(0, -1)), 401],
  ['the key of another project', () => bearer(other.key), 401],
  ['the key as username', () => basic(`${m.key}:`), 401],
  ['Basic without a colon', () => basic(m.key), 401],
  ['Basic that is no Base64', () => ({ authorization: 'Basic ***' }), 401],
  ['another scheme', () => ({ authorization: `Token ${m.key}` }), 401],
  ['the key in the header of access tokens', () => ({ 'private-token': m.key }), 401],
])('%s', async (_, headers, status) => {
  for (const url of [m.url, unnamed()]) {
    const answer = await sendTo(url, { title: 'Who' }, headers())
    expect(answer.status).toBe(status)
    if (status !== 200) expect(answer.body).toEqual({ message: '401 Unauthorized' })
  }
})

test('credentials in the URL are those of HTTP Basic', async () => {
  const url = new URL(m.url)
  url.password = m.key
  const answer = await new Promise<number>((resolve, reject) => {
    void import('node:http').then(({ request }) =>
      request(url, { method: 'POST' }, (found) => resolve(found.resume().statusCode ?? 0))
        .on('error', reject)
        .end('{"title":"In the URL"}'),
    )
  })
  expect(answer).toBe(200)
})

test('an access token of an owner opens nothing', async () => {
  expect((await sendTo(m.url, {}, bearer(m.owner.token))).status).toBe(401)
})

test('what is not there is 404 or 403, for who brings a key', async () => {
  expect((await sendTo(`${w.url}/no/such/alerts/notify.json`, {}, bearer(m.key))).status).toBe(404)
  expect((await sendTo(`${w.url}/no/such/alerts/notify.json`, {})).status).toBe(401)
  const missing = m.url.replace(/[0-9a-f]{16}\.json$/, `${'0'.repeat(16)}.json`)
  expect(await sendTo(missing, {}, bearer(m.key))).toMatchObject({
    status: 403,
    body: { message: '403 Forbidden - there is no such alert integration' },
  })
  // The identifier of an integration opens nothing at another project.
  const elsewhere = m.url.replace(m.fullPath, other.fullPath)
  expect((await sendTo(elsewhere, {}, bearer(m.key))).status).toBe(403)
})

test('the name in the URL is for people, and paths count in any case', async () => {
  const url = m.url
    .replace('/notify/tool/', '/notify/anything-else/')
    .replace(m.fullPath, m.fullPath.toUpperCase())
  expect((await sendTo(url, {}, bearer(m.key))).status).toBe(200)
})

test.each(['GET', 'PUT', 'DELETE'])('%s is no way to send an alert', async (method) => {
  expect((await w.anonymous.send(method, m.url)).status).toBe(405)
})

test('an integration that is not active refuses its key, and says so to nobody else', async () => {
  const p = await monitored()
  const path = `/projects/${p.id}/alert_management/integrations/${p.integration}`
  await p.maintainer.put(path, { active: false })
  expect(await p.send({})).toMatchObject({
    status: 403,
    body: { message: '403 Forbidden - the alert integration is not active' },
  })
  expect((await p.send({}, bearer('wrong'))).status).toBe(401)
  await p.maintainer.put(path, { active: true })
  expect((await p.send({})).status).toBe(200)
  const { body } = await p.maintainer.post(`${path}/reset_authorization_key`)
  expect((await p.send({})).status).toBe(401)
  expect((await p.send({}, bearer(body.authorization_key))).status).toBe(200)
  await p.maintainer.delete(path)
  expect((await p.send({}, bearer(body.authorization_key))).status).toBe(403)
})

test('while another product is on call, no integration is active', async () => {
  const p = await monitored()
  const settings = `/projects/${p.id}/alert_management/settings`
  const path = `/projects/${p.id}/alert_management/integrations`
  expect((await p.maintainer.put(settings, { external_on_call: true })).body.external_on_call).toBe(true)
  expect((await p.send({})).status).toBe(403)
  expect((await p.maintainer.get(path)).body[0].active).toBe(false)
  const refused = { message: { active: ['must be false while an external product is on call'] } }
  expect(await p.maintainer.put(`${path}/${p.integration}`, { active: true })).toMatchObject({
    status: 400,
    body: refused,
  })
  await p.maintainer.put(settings, { external_on_call: false })
  expect((await p.send({})).status).toBe(403)
  expect((await p.maintainer.put(`${path}/${p.integration}`, { active: true })).status).toBe(200)
  expect((await p.send({})).status).toBe(200)
})

test('an archived project takes no alerts, and a deleted one is gone', async () => {
  const p = await monitored()
  await p.owner.post(`/projects/${p.id}/archive`)
  expect((await p.send({})).status).toBe(403)
  await p.owner.post(`/projects/${p.id}/unarchive`)
  await p.owner.delete(`/projects/${p.id}`)
  expect((await p.send({})).status).toBe(404)
})

test.each<[string, string, number]>([
  ['nothing', '', 400],
  ['no JSON', 'title=x', 400],
  ['half of it', '{"title":', 400],
  ['a list', '[]', 400],
  ['a text', '"x"', 400],
  ['null', 'null', 400],
  ['a duplicate of everything', `${JSON.stringify({ a: 1 })}{}`, 400],
  ['a mark of its bytes', '\u{feff}{}', 200],
  ['deep nesting', `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 400],
  ['nesting', `{"a":${'['.repeat(90)}${']'.repeat(90)}}`, 200],
  ['brackets in a text', `{"a":"${'['.repeat(5_000)}"}`, 200],
  ['numbers without measure', '{"a":1e999,"start_time":1e300,"end_time":-1e300}', 200],
  ['1 MiB', JSON.stringify({ a: 'x'.repeat(1024 * 1024 - 8) }), 200],
  ['more than 1 MiB', JSON.stringify({ a: 'x'.repeat(1024 * 1024 - 7) }), 413],
  ['more alerts than are read', JSON.stringify(metrics(...Array.from({ length: 2_001 }, () => 1))), 422],
])('a body of %s', async (_, body, status) => {
  const answer = await m.send(body)
  expect(answer.status).toBe(status)
  if (status !== 200) expect(typeof answer.body.message).toBe('string')
})

test('any content type is JSON', async () => {
  expect((await m.send('{}', { ...bearer(m.key), 'content-type': 'text/plain' })).status).toBe(200)
  expect(
    (
      await m.send(metrics(element()), {
        ...bearer(m.key),
        'content-type': 'application/x-www-form-urlencoded',
      })
    ).status,
  ).toBe(200)
})

test('a limit of the instance answers 429 for each project by itself', async () => {
  const p = await monitored()
  const throttle = 'throttle_incident_management_notification'
  await w.root.put('/application/settings', { [`${throttle}_enabled`]: true, [`${throttle}_per_period`]: 2 })
  try {
    await expect.poll(() => w.running.services.settings()[`${throttle}_enabled`]).toBe(true)
    const statuses = []
    for (const _ of [1, 2, 3]) statuses.push((await p.send({})).status)
    expect(statuses).toEqual([200, 200, 429])
    expect(Number((await p.send({})).headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await other.send({})).status).toBe(200)
  } finally {
    await w.root.put('/application/settings', {
      [`${throttle}_enabled`]: false,
      [`${throttle}_per_period`]: 3600,
    })
  }
})
