import { join } from 'node:path'
import { expect, test } from 'vitest'
import { holdAt, SECOND } from '#code/repository-storage-moves/test-support.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { newBareDatabase, urlOf } from '#test/new-database.ts'
import { giveBranches } from '#test/repositories.ts'
import { Client } from '#test/client.ts'
import { openWorld } from '#test/world.ts'
import { folder, forgelet as program, READY } from './forgelet.ts'
import { forgelet } from './in-process.ts'

test('a backup made during a storage move restores whole, and the move can be started again', async () => {
  const world = await openWorld()
  const project = await world.project({ visibility: 'public' })
  const { id } = project
  const repository = await giveBranches(project, world)
  const head = await repository.git.text(repository, ['rev-parse', 'refs/heads/main'])
  const backup = join(folder(), 'backup')
  {
    using held = holdAt('copied')
    const path = `/projects/${id}/repository_storage_moves`
    expect((await world.root.post(path, { destination_storage_name: SECOND })).status).toBe(201)
    await held.at
    expect(await forgelet(['backup', backup], world.environment)).toMatchObject({ code: 0 })
  }
  await world.running.stop()
  const target = {
    FORGELET_DATA: join(folder(), 'data'),
    FORGELET_DATABASE_URL: urlOf(await newBareDatabase()),
    FORGELET_SECRET_KEY: world.environment['FORGELET_SECRET_KEY'],
  }
  const restored = await forgelet(['restore', backup], target)
  expect([restored.code, restored.err]).toEqual([0, expect.stringContaining('restored')])
  const url = await program([], target).saying(READY)
  const root = new Client(url, { 'private-token': ROOT_TOKEN })
  const [move] = (await root.get(`/projects/${id}/repository_storage_moves`)).body
  expect(move).toMatchObject({ state: 'failed', destination_storage_name: SECOND })
  expect((await root.get(`/projects/${id}/repository/branches/main`)).body.commit.id).toBe(head.trim())
  const change = { branch: 'main', commit_message: 'Go on', content: 'more', encoding: 'text' }
  expect((await root.post(`/projects/${id}/repository/files/more.txt`, change)).status).toBe(201)
})
