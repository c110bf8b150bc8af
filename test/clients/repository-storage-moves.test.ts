import { Gitlab } from '@gitbeaker/rest'
import { expect, test } from 'vitest'
import { giveSample } from '../repositories.ts'
import { unique, w } from '../world.ts'

test('@gitbeaker/rest lists moves, shows one, and schedules those of a storage', async () => {
  const api = new Gitlab({ host: w.url, token: w.root.token })
  const project = await api.Projects.create({ name: unique('Move') })
  await giveSample(project)
  await api.Projects.edit(project.id, { repositoryStorage: 'second' })
  const [move] = await api.ProjectRepositoryStorageMoves.all({ perPage: 1, maxPages: 1 })
  expect(move).toMatchObject({ destination_storage_name: 'second', project: { id: project.id } })
  const id = move?.id ?? 0
  expect(await api.ProjectRepositoryStorageMoves.show(id)).toMatchObject({ id })
  // It has moved once the copy is served.
  const found = async () =>
    (await api.Projects.all({ repositoryStorage: 'second', perPage: 100 })).map(({ id }) => id)
  await expect.poll(found, { timeout: 30_000 }).toContain(project.id)
  await w.root.put('/application/settings', { repository_storages_weighted: { default: 100 } })
  const moves = [api.ProjectRepositoryStorageMoves, api.SnippetRepositoryStorageMoves]
  for (const kind of moves) {
    const answer: unknown = await kind.schedule('second', { destinationStorageName: 'default' })
    expect(answer).toEqual({ message: '202 Accepted' })
  }
  expect(await api.SnippetRepositoryStorageMoves.all({ perPage: 1, maxPages: 1 })).toBeInstanceOf(Array)
})
