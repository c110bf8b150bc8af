import { rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, unique, type World } from '#test/world.ts'
import { eventsOf, toldBy } from './test-support.ts'

let w: World
beforeAll(async () => void (w = await openWorld(undefined, 'premium')))
afterAll(() => w.running.stop())

/** What is told while `work` runs. */
const told = async (work: () => Promise<unknown>) => toldBy(await eventsOf(w, work))

test('moves of repositories: who asked for them, and what came of them', async () => {
  const p = (await w.root.post('/projects', { name: unique('p'), initialize_with_readme: true })).body
  const path = `/projects/${p.id}/repository_storage_moves`
  await w.root.put('/application/settings', { repository_storage_moves_source_retention: 0 })
  const reaches = async (state: string) => {
    await expect.poll(async () => (await w.root.get(path)).body[0]?.state, { timeout: 60_000 }).toBe(state)
  }
  const move = async (destination_storage_name: string, state: string) => {
    await w.root.post(path, { destination_storage_name })
    await reaches(state)
  }
  const there = { change: 'repository storage', from: 'default', to: 'second' }
  const back = { ...there, from: 'second', to: 'default' }
  const moved = await eventsOf(w, () => move('second', 'finished'))
  expect(toldBy(moved)).toEqual([
    ['repository_storage_move_scheduled', there],
    ['repository_storage_move_finished', there],
  ])
  const of = { entity_type: 'Project', entity_id: p.id }
  expect(moved).toMatchObject([{ author_id: 1, ...of }, of])

  const all = { source_storage_name: 'second', destination_storage_name: 'default' }
  const left = await told(async () => {
    await w.root.post('/project_repository_storage_moves', all)
    await expect.poll(async () => (await w.root.get(path)).body.length, { timeout: 60_000 }).toBe(2)
    await reaches('finished')
  })
  expect(left).toEqual([
    [
      'repository_storage_moves_scheduled',
      { custom_message: 'Scheduled moves of all project repositories from second to default' },
    ],
    ['repository_storage_move_finished', back],
  ])

  const { repositories } = w.running.services
  const repository = await repositories.ofProject(p.id)
  await rename(repository?.folder ?? '', join(dirname(repository?.folder ?? ''), 'tmp-away'))
  expect(await told(() => move('second', 'failed'))).toEqual([
    ['repository_storage_move_scheduled', there],
    [
      'repository_storage_move_failed',
      { ...there, custom_message: expect.stringMatching(/^The repository did not move: ./) },
    ],
  ])
}, 120_000)
