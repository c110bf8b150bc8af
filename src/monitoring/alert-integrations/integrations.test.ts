import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { rotateKeys } from '#platform/key-ring/key-ring.ts'
import { monitored } from '#monitoring/alert-receiver/test-support.ts'
import { type Actor, w } from '#test/world.ts'

const at = (p: { id: number }) => `/projects/${p.id}/alert_management/integrations`

test('an integration has a URL and a key, which Maintainers read again', async () => {
  const p = await w.project()
  const { status, body } = await p.maintainer.post(at(p), { name: 'Our Prometheus!', type: 'prometheus' })
  expect([status, body]).toEqual([
    201,
    {
      id: body.id,
      project_id: p.id,
      name: 'Our Prometheus!',
      type: 'prometheus',
      active: true,
      url: expect.stringMatching(
        new RegExp(`^${w.url}/${p.fullPath}/alerts/notify/our-prometheus/[0-9a-f]{16}\\.json$`),
      ),
      authorization_key: expect.stringMatching(/^[0-9a-f]{64}$/),
      preset: null,
      mapping: {},
      sample_payload: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    },
  ])
  expect((await p.maintainer.get(`${at(p)}/${body.id}`)).body).toEqual(body)
  expect((await p.owner.get(at(p))).body).toEqual([body])
  // Developers try it, and need neither.
  expect((await p.developer.get(at(p))).body).toEqual([{ ...body, url: null, authorization_key: null }])
})

test('the key is sealed where it is kept, and a rotation of keys changes nothing for people', async () => {
  const m = await monitored()
  const stored = async () => {
    const { rows } = await sql<{ text: string }>`
      select encode(authorization_key, 'escape') as text from alert_integrations where id = ${m.integration}`.execute(
      w.db,
    )
    return rows[0]?.text
  }
  const before = await stored()
  expect(before).not.toContain(m.key)
  await rotateKeys(w.running.services)
  expect(await stored()).not.toBe(before)
  expect((await m.maintainer.get(`${at(m)}/${m.integration}`)).body.authorization_key).toBe(m.key)
  expect((await m.send({})).status).toBe(200)
})

test('a project has one integration without a plan, and several with one', async () => {
  const m = await monitored()
  expect(await m.maintainer.post(at(m), { name: 'Second' })).toMatchObject({
    status: 403,
    body: { message: '403 Forbidden - Several alert integrations need premium' },
  })
  const second = await w.onPlan('premium', () => monitored({ name: 'Second' }, m))
  expect(second.key).not.toBe(m.key)
  // What a plan allowed goes on.
  expect((await second.send({ title: 'Still heard' })).body[0].title).toBe('Still heard')
  const p = await w.project()
  const raced = await Promise.all(['a', 'b', 'c'].map((name) => p.maintainer.post(at(p), { name })))
  expect(raced.filter(({ status }) => status === 201).length).toBe(1)
  expect(raced.filter(({ status }) => status === 403).length).toBe(2)
})

test('a mapping and a sample need a plan', async () => {
  const m = await monitored()
  const path = `${at(m)}/${m.integration}`
  const message = '403 Forbidden - A custom mapping needs premium'
  for (const given of [{ mapping: { title: ['a'] } }, { sample_payload: '{}' }])
    expect(await m.maintainer.put(path, given)).toMatchObject({ status: 403, body: { message } })
  await w.onPlan('premium', async () => {
    const sample_payload = '{"a":1}'
    const { body } = await m.maintainer.put(path, { mapping: { title: ['a', 'b'] }, sample_payload })
    expect(body).toMatchObject({ mapping: { title: ['a', 'b'] }, sample_payload })
  })
  const cleared = await m.maintainer.put(path, { mapping: {}, sample_payload: null })
  expect(cleared.body).toMatchObject({ mapping: {}, sample_payload: null })
})

test.each([
  [{}, 'name is missing'],
  [{ name: '' }, 'name is empty'],
  [{ name: 'x', type: 'nagios' }, 'type does not have a valid value'],
  [{ name: 'x', preset: 'nagios' }, 'preset does not have a valid value'],
  [{ name: 'x'.repeat(256) }, 'name is too long (maximum is 255 characters)'],
])('%j is refused', async (given, error) => {
  const p = await w.project()
  expect(await p.maintainer.post(at(p), given)).toMatchObject({ status: 400, body: { error } })
})

test('a Developer sends a test alert, which is an alert', async () => {
  const m = await monitored()
  const path = `${at(m)}/${m.integration}/test`
  expect(await m.developer.post(path)).toMatchObject({ status: 200, body: [{ iid: 1, title: 'Test alert' }] })
  expect((await m.developer.post(path, { payload: '{"title":"Mine"}' })).body).toEqual([
    { iid: 2, title: 'Mine' },
  ])
  expect((await m.developer.post(path, { payload: '{' })).status).toBe(400)
  await m.maintainer.put(`${at(m)}/${m.integration}`, { active: false })
  expect((await m.developer.post(path)).status).toBe(403)
  const other = await monitored({ type: 'prometheus' })
  expect((await other.developer.post(`${at(other)}/${other.integration}/test`)).body).toEqual([
    { iid: 1, title: 'Test alert' },
  ])
  // What a tool for metrics sends needs a title.
  const payload = {
    version: '4',
    status: 'firing',
    receiver: 'x',
    groupKey: 'x',
    groupLabels: {},
    commonLabels: {},
    commonAnnotations: {},
    externalURL: 'http://example.com',
    alerts: [{ status: 'firing', labels: {}, annotations: {} }],
  }
  const untitled = await other.developer.post(`${at(other)}/${other.integration}/test`, {
    payload: JSON.stringify(payload),
  })
  expect(untitled.status).toBe(422)
  // That of another project is not there.
  expect((await other.developer.post(`${at(other)}/${m.integration}/test`)).status).toBe(404)
  expect((await other.maintainer.get(`${at(other)}/${m.integration}`)).status).toBe(404)
})

test('changes are audited, without keys', async () => {
  const m = await monitored()
  const path = `${at(m)}/${m.integration}`
  await m.maintainer.put(path, { name: 'Renamed', active: false })
  const { body } = await m.maintainer.post(`${path}/reset_authorization_key`)
  await m.maintainer.put(`/projects/${m.id}/alert_management/settings`, { create_incident: true })
  await m.maintainer.delete(path)
  const { rows } = await sql<{ name: string; text: string }>`
    select name, details::text as text from facts where namespace_id = ${m.namespaceId} and name like 'alert %' order by id`.execute(
    w.db,
  )
  expect(rows.map(({ name }) => name)).toEqual([
    'alert integration created',
    'alert integration changed',
    'alert integration key reset',
    'alert settings changed',
    'alert integration deleted',
  ])
  for (const { text } of rows)
    for (const key of [m.key, body.authorization_key]) expect(text).not.toContain(key)
})

test('deleting an integration keeps its alerts', async () => {
  const m = await monitored()
  await m.send({ title: 'Kept' })
  expect((await m.maintainer.delete(`${at(m)}/${m.integration}`)).status).toBe(204)
  expect(await m.alerts()).toMatchObject([{ title: 'Kept', integration_id: null }])
})

test('the former page of integrations leads Maintainers to the settings of the project', async () => {
  const p = await w.project()
  const page = `${w.url}/-/alert_integrations/${p.id}`
  const asked = async (who: Actor) => (await w.session(who)).reader.get(page)
  const answer = await asked(p.maintainer)
  expect([answer.status, answer.headers.get('location')]).toEqual([
    303,
    `/${p.fullPath}/-/settings/operations`,
  ])
  for (const [who, status] of [
    [p.developer, 403],
    [p.stranger, 404],
  ] as const)
    expect((await asked(who)).status).toBe(status)
})

test('a page maps the fields of payloads, where the plan has mappings', async () => {
  const m = await monitored()
  const { reader, csrf, cookie } = await w.session(m.maintainer)
  const page = `${w.url}/-/alert_integrations/${m.id}/${m.integration}/mapping`
  const submit = (fields: Readonly<Record<string, string>>) =>
    w.anonymous.send('POST', page, {
      form: new URLSearchParams({ authenticity_token: csrf, ...blank, ...fields }),
      headers: { cookie },
    })
  const fields = [
    ...(await w.onPlan('premium', async () => (await reader.get(page)).text)).matchAll(
      /<textarea\s+id="(\w+)"/g,
    ),
  ]
  const blank = Object.fromEntries(fields.map(([, name = '']) => [name, '']))
  expect(Object.keys(blank)).toEqual(expect.arrayContaining(['sample_payload', 'title', 'fingerprint']))
  const sample_payload = '{"check": {"label": "<x>"}}'
  const found = async () => (await m.maintainer.get(`${at(m)}/${m.integration}`)).body
  expect((await submit({ sample_payload })).status).toBe(403)
  expect((await reader.get(page)).status).toBe(403)
  await w.onPlan('premium', async () => {
    expect((await submit({ sample_payload, title: 'check.name\r\n check.label \r\n' })).status).toBe(303)
    expect(await found()).toMatchObject({
      mapping: { title: ['check.name', 'check.label'] },
      sample_payload: '{"check":{"label":"<x>"}}',
    })
    expect((await m.send({ check: { label: 'Mapped' } })).body).toMatchObject([{ title: 'Mapped' }])
    // What is wrong stands beside its field, and what was typed stays.
    const { text } = await reader.get(page)
    for (const part of ['check.name\ncheck.label', '&lt;x&gt;']) expect(text).toContain(part)
    for (const [given, problem] of [
      [{ sample_payload, title: 'nothing' }, 'Title leads to nothing in the sample payload.'],
      [{ title: 'a..b' }, 'has no path in “a..b”'],
      [{ title: 'a\nb\nc\nd\ne\nf' }, 'Title has more than 5 paths.'],
      [{ title: 'a'.repeat(501) }, 'Title has a path of more than 500 characters.'],
      [{ sample_payload: 'no JSON', title: 'kept' }, 'Sample payload is not a JSON object.'],
    ] as const) {
      const refused = await submit(given)
      expect(refused.status).toBe(422)
      expect(refused.text).toContain(problem)
      expect(refused.text).toContain(given.title)
    }
    expect((await found()).mapping).toEqual({ title: ['check.name', 'check.label'] })
    await submit({})
    expect(await found()).toMatchObject({ mapping: {}, sample_payload: null })
    const other = await w.project()
    for (const [who, at, status] of [
      [m.developer, page, 403],
      [m.stranger, page, 404],
      [other.maintainer, page.replace(`/${m.id}/`, `/${other.id}/`), 404],
    ] as const)
      expect((await (await w.session(who)).reader.get(at)).status).toBe(status)
  })
})
