import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startForgelet } from 'forgelet/testing'
import { Client } from '../client.ts'

const START = new Date('2030-01-01T12:00:00.000Z')
let now = START
const forgelet = await startForgelet({
  clock: { now: () => now },
  settings: { personal_access_token_prefix: 'test-' },
})
const root = new Client(forgelet.url, { 'private-token': forgelet.rootToken })

afterAll(() => forgelet.stop())
beforeEach(async () => {
  now = START
  await forgelet.reset()
})

async function makeProject(path: string): Promise<number> {
  const { status, body } = await root.post('/projects', { path })
  expect(status).toBe(201)
  return body.id
}

describe('startForgelet', () => {
  test('gives a server with the administrator and nobody else, at the time of its clock', async () => {
    const { body } = await root.get('/users')
    expect(body.map(({ username }: { username: string }) => username)).toEqual(['ghost', 'root'])
    now = new Date('2031-02-03T04:05:06.789Z')
    const id = await makeProject('at-that-time')
    expect((await root.get(`/projects/${id}`)).body.created_at).toBe('2031-02-03T04:05:06.789Z')
  })

  test.each([1, 2])('every reset makes rows, ids and settings as they were, round %i', async () => {
    expect(await makeProject('first')).toBe(1)
    expect(await makeProject('second')).toBe(2)
    expect((await root.get('/projects/root%2Ffirst')).status).toBe(200)
    const settings = await root.put('/application/settings', { personal_access_token_prefix: 'other-' })
    expect(settings.status).toBe(200)
    await forgelet.reset()
    expect((await root.get('/projects/root%2Ffirst')).status).toBe(404)
    expect((await root.get('/application/settings')).body.personal_access_token_prefix).toBe('test-')
    expect(await makeProject('second')).toBe(1)
  })

  test('resets while jobs wait and run', async () => {
    const id = await makeProject('doomed')
    expect((await root.delete(`/projects/${id}`)).status).toBe(202)
    await forgelet.reset()
    expect(await makeProject('doomed')).toBe(1)
  })

  test('several run side by side', async () => {
    await makeProject('here')
    const other = await startForgelet({ rootToken: 'glpat-a-token-of-our-choice' })
    try {
      const there = new Client(other.url, { 'private-token': 'glpat-a-token-of-our-choice' })
      expect((await there.get('/projects')).body).toEqual([])
    } finally {
      await other.stop()
    }
    await expect(fetch(other.url)).rejects.toThrow('fetch failed')
  })
})
