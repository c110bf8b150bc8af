import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Type } from 'typebox'
import { buildApp } from '#app.ts'
import { ById, integer } from '#platform/http/schema.ts'
import { describeApi } from '#platform/openapi/document.ts'
import { openWorld, type World } from '#test/world.ts'
import { anyone, group, project, reads } from './route-access.ts'

const feature = 'container_virtual_registries'

/** A server of its own, whose switch disturbs nobody. */
let world: World
let app: FastifyInstance
beforeAll(async () => {
  world = await openWorld()
  app = await buildApp(world.running.services, pino({ level: 'silent' }))
  const schema = {
    summary: 'Look',
    querystring: Type.Object({ number: integer() }),
    response: { 200: Type.Object({ here: Type.Boolean() }) },
  }
  const anonymous = true
  const look = async () => ({ here: true })
  const within = { ...schema, params: ById }
  app.get(
    '/api/v4/version/hidden',
    { config: reads(anyone, { anonymous, featureFlag: feature }), schema },
    look,
  )
  app.get('/api/v4/version/known', { config: reads(anyone, { featureFlag: feature }), schema }, look)
  app.get(
    '/api/v4/projects/:id/hidden',
    { config: reads(project('read_project'), { anonymous, featureFlag: feature }), schema: within },
    look,
  )
  app.get(
    '/api/v4/groups/:id/hidden',
    { config: reads(group('read_group'), { anonymous, featureFlag: feature }), schema: within },
    look,
  )
})
afterAll(async () => {
  await app.close()
  await world.running.stop()
})

const set = async (json: object) => {
  expect((await world.root.post(`/features/${feature}`, json)).status).toBe(201)
}
const token = ({ token: secret }: { token: string }) => ({ 'private-token': secret })
async function get(path: string, headers: Readonly<Record<string, string>> = {}, query = '?number=1') {
  const answer = await app.inject({ url: `/api/v4${path}${query}`, headers })
  return [answer.statusCode, answer.json().message ?? answer.json()]
}

const there = [200, { here: true }]
const hidden = [404, '404 Not Found']

describe('an area behind a feature flag', () => {
  test('is not there while the switch is off, before parameters and after credentials', async () => {
    await set({ value: false })
    expect(await get('/version/hidden')).toEqual(hidden)
    expect(await get('/version/hidden', {}, '')).toEqual(hidden)
    expect(await get('/version/known', {}, '')).toEqual([401, '401 Unauthorized'])
    expect(await get('/version/known', token(world.root), '')).toEqual(hidden)
    expect(await get('/version/hidden', { 'private-token': 'wrong' })).toEqual([401, '401 Unauthorized'])
  })

  test('is there when it is on, with all that follows', async () => {
    await set({ value: true })
    expect(await get('/version/hidden')).toEqual(there)
    expect((await get('/version/hidden', {}, ''))[0]).toBe(400)
    expect(await get('/projects/999999999/hidden')).toEqual([404, '404 Project Not Found'])
  })

  test('is there for the users, projects and groups that it is on for', async () => {
    await set({ value: false })
    const user = await world.user()
    const p = await world.project({ visibility: 'public' })
    const g = await world.group({ visibility: 'public' })
    await set({ value: true, user: user.username, project: p.fullPath, group: g.fullPath })
    expect(await get('/version/known', token(user))).toEqual(there)
    expect(await get('/version/known', token(world.root))).toEqual(hidden)
    expect(await get('/version/hidden')).toEqual(hidden)
    for (const headers of [{}, token(p.stranger), { ...token(world.root), sudo: p.stranger.username }]) {
      expect(await get(`/projects/${p.encoded}/hidden`, headers)).toEqual(there)
      expect(await get(`/groups/${g.id}/hidden`, headers)).toEqual(there)
      expect(await get(`/groups/${p.groupId}/hidden`, headers)).toEqual(hidden)
    }
  })

  test('does not tell of places that the caller may not read', async () => {
    await set({ value: false })
    const p = await world.project()
    await set({ value: true, project: p.fullPath })
    expect(await get(`/projects/${p.id}/hidden`, token(p.guest))).toEqual(there)
    for (const headers of [{}, token(p.stranger)]) {
      expect(await get(`/projects/${p.id}/hidden`, headers, '')).toEqual(hidden)
      expect(await get('/projects/999999999/hidden', headers, '')).toEqual(hidden)
    }
  })

  test('is there by chance when that was asked for', async () => {
    await set({ value: false })
    await set({ value: 50 })
    const seen = new Set<unknown>()
    for (let count = 0; count < 200 && seen.size < 2; count += 1) seen.add((await get('/version/hidden'))[0])
    expect(seen).toEqual(new Set([200, 404]))
  })

  test('says so in the description of the API', () => {
    const { paths } = describeApi(app.declaredRoutes, '1')
    const operation = paths['/version/hidden']?.['get']
    expect(operation).toMatchObject({
      'x-feature-flag': feature,
      description: `Needs no credentials. Tokens need the scope \`api\` or \`read_api\`. Answers 404 where the feature flag \`${feature}\` is off.`,
    })
    expect(Object.keys(operation?.responses ?? {})).toContain('404')
    expect(paths['/version']?.['get']).not.toHaveProperty('x-feature-flag')
  })
})
