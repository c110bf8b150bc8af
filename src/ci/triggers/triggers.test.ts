import { expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'

const CONFIG = 'job: { script: x, rules: [{ if: $CI_PIPELINE_SOURCE == "trigger" && $WHO == "bot" }] }'

async function withTrigger(given: object = {}) {
  const p = await projectWithCi(CONFIG)
  const path = `${p.base}/triggers`
  const { status, body } = await p.maintainer.post(path, { description: 'Bot', ...given })
  expect(status).toBe(201)
  const start = (sent: object, at = p.base) =>
    new Client(w.url, {}).post(`${at}/trigger/pipeline`, { token: body.token, ref: 'main', ...sent })
  return { ...p, path, body, one: `${path}/${body.id}`, start }
}

test('triggers are made, read, changed and deleted; their tokens are whole for their owners alone', async () => {
  const p = await withTrigger()
  expect(p.body).toEqual({
    id: expect.any(Number),
    token: expect.stringMatching(/^glptt-[0-9a-f]{40}$/),
    description: 'Bot',
    created_at: expect.any(String),
    updated_at: p.body.created_at,
    last_used: null,
    expires_at: null,
    owner: expect.objectContaining({ id: p.maintainer.id }),
  })
  expect((await p.maintainer.get(p.path)).body).toEqual([p.body])
  const { body: seen } = await p.owner.get(p.one)
  expect(seen).toEqual({ ...p.body, token: p.body.token.slice(6, 10) })
  expect((await p.developer.get(p.path)).status).toBe(403)
  expect((await p.maintainer.put(p.one, { description: 'Other' })).body.description).toBe('Other')
  const rows = await w.db
    .selectFrom('pipeline_triggers')
    .select('token')
    .where('id', '=', p.body.id)
    .execute()
  expect(rows[0]?.token.includes(p.body.token)).toBe(false)
  expect((await p.maintainer.delete(p.one)).status).toBe(204)
  expect((await p.maintainer.get(p.one)).body.message).toBe('404 Trigger Not Found')
  expect((await p.maintainer.delete(p.one)).status).toBe(404)
})

test('a trigger starts a pipeline with the rights of its owner, by its token alone', async () => {
  const p = await withTrigger()
  const { status, body } = await p.start({ variables: { WHO: 'bot' } })
  expect([status, body.source, body.user.id]).toEqual([201, 'trigger', p.maintainer.id])
  expect(await p.statuses(body.id)).toEqual({ job: 'pending' })
  expect((await p.maintainer.get(p.one)).body.last_used).toEqual(expect.any(String))
  const form = await fetch(`${w.url}/api/v4${p.base}/ref/main/trigger/pipeline`, {
    method: 'POST',
    body: new URLSearchParams({ token: p.body.token, 'variables[WHO]': 'bot' }),
  })
  expect([form.status, await form.json()]).toEqual([201, expect.objectContaining({ ref: 'main' })])
  const byPath = await p.start({ variables: { WHO: 'bot' } }, `/projects/${encodeURIComponent(p.fullPath)}`)
  expect(byPath.status).toBe(201)
})

test('other tokens, projects and references are refused', async () => {
  const p = await withTrigger()
  const other = await projectWithCi(CONFIG)
  expect((await p.start({ token: 'glptt-wrong' })).status).toBe(404)
  expect((await p.start({}, other.base)).status).toBe(404)
  expect((await p.start({ ref: 'none' })).body.message).toEqual({ base: ['Reference not found'] })
  expect((await p.start({})).body.message).toEqual({ base: [expect.stringContaining('will not run')] })
  await w.db
    .updateTable('pipeline_triggers')
    .set({ expires_at: '2020-01-01T00:00:00Z' })
    .where('id', '=', p.body.id)
    .execute()
  expect((await p.start({ variables: { WHO: 'bot' } })).status).toBe(404)
  const past = await p.maintainer.post(p.path, { description: 'x', expires_at: '2020-01-01T00:00:00Z' })
  expect(past.body.message).toEqual({ expires_at: ['must be in the future'] })
})

test('a trigger whose owner has left starts nothing', async () => {
  const p = await withTrigger()
  await p.owner.delete(`${p.base}/members/${p.maintainer.id}`)
  await w.db.deleteFrom('members').where('user_id', '=', p.maintainer.id).execute()
  const { status, body } = await p.start({ variables: { WHO: 'bot' } })
  expect([status, body.message]).toEqual([
    400,
    { base: ['Insufficient permissions to create a new pipeline'] },
  ])
})

test('a trigger works until the moment that it ends at', async () => {
  const variables = { WHO: 'bot' }
  const soon = await withTrigger({ expires_at: new Date(Date.now() + 60_000).toISOString() })
  expect((await soon.start({ variables })).status).toBe(201)
})

test.each(['', 'a-b c'])('keys of variables are names: "%s" is refused', async (key) => {
  const p = await withTrigger()
  const { status, body } = await p.start({ variables: { [key]: 'x' } })
  expect([status, body.message.base]).toEqual([400, [expect.stringContaining('letters, digits')]])
})
