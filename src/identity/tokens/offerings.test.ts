import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { w } from '#test/world.ts'

// Another server on the same database, as the hosted offering, where the plan is free.

let hosted: Awaited<ReturnType<typeof w.another>>
beforeAll(async () => {
  hosted = await w.another(undefined, { FORGELET_OFFERING: 'hosted' })
})
afterAll(() => hosted.stop())

const there = (client: Client) => new Client(hosted.url, client.headers)

describe.each(['project', 'group'] as const)('access tokens of a %s', (kind) => {
  const asked = { name: 'x', scopes: ['api'] }
  const feature = kind === 'project' ? 'Project access tokens' : 'Group access tokens'
  const refused = { status: 403, body: { message: `403 Forbidden - ${feature} needs premium` } }

  test('need Premium on the hosted offering; whoever lost it can still list and revoke', async () => {
    const place = kind === 'project' ? await w.project() : await w.group()
    const base = `/${kind}s/${place.id}/access_tokens`
    const { body } = await place.owner.post(base, asked)
    const owner = there(place.owner)
    const bot = there(w.anonymous.with({ 'private-token': body.token }))
    expect(await owner.get(base)).toMatchObject({ status: 200, body: [{ id: body.id }] })
    expect(await owner.get(`${base}/${body.id}`)).toMatchObject({ status: 200, body: { id: body.id } })
    expect(await owner.post(base, asked)).toMatchObject(refused)
    expect(await owner.post(`${base}/${body.id}/rotate`)).toMatchObject(refused)
    expect(await bot.get(`${base}/self`)).toMatchObject({ status: 200, body: { id: body.id } })
    expect(await bot.post(`${base}/self/rotate`)).toMatchObject(refused)
    // The plan comes before the place: it tells nobody whether there is one.
    expect(await there(place.stranger).post(base, asked)).toMatchObject(refused)
    expect((await owner.delete(`${base}/${body.id}`)).status).toBe(204)
    expect((await place.owner.get(`${base}/${body.id}`)).body.revoked).toBe(true)
  })

  test('the description of the API says so', async () => {
    const { body } = await w.anonymous.get('/openapi.json')
    const { description, 'x-tier': tier } = body.paths[`/${kind}s/{id}/access_tokens`].post
    expect(tier).toEqual({ licensedArea: feature, plan: 'premium', planOn: ['hosted'] })
    expect(description).toContain('Only with a personal access token. Needs premium on the offering hosted.')
  })
})

describe('on the dedicated offering', () => {
  test('they need no plan', async () => {
    const dedicated = await w.another(undefined, { FORGELET_OFFERING: 'dedicated' })
    try {
      const { id, owner } = await w.project()
      const client = new Client(dedicated.url, owner.headers)
      expect((await client.get(`/projects/${id}/access_tokens`)).status).toBe(200)
    } finally {
      await dedicated.stop()
    }
  })
})

describe('deploy tokens', () => {
  test('are refused like any unknown credential, however they are sent', async () => {
    const { id } = await w.project({ visibility: 'public' })
    const secret = 'gldt-Lr4xJ2mXqk7wPn3tYz9v'
    const basic = Buffer.from(`gitlab+deploy-token-1:${secret}`).toString('base64')
    const ways: [string, Record<string, string>][] = [
      ['', { 'private-token': secret }],
      ['', { authorization: `Bearer ${secret}` }],
      ['', { authorization: `Basic ${basic}` }],
      [`?private_token=${secret}`, {}],
      [`?access_token=${secret}`, {}],
    ]
    for (const [query, headers] of ways) {
      const answer = await w.anonymous.with(headers).get(`/projects/${id}${query}`)
      expect([answer.status, answer.body]).toEqual([401, { message: '401 Unauthorized' }])
    }
  })
})
