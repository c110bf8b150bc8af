import { Gitlab } from '@gitbeaker/rest'
import { expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { giveSample } from '#test/repositories.ts'
import { unique, w } from '#test/world.ts'

test('@gitbeaker/rest lists moves, shows one, and schedules those of a storage', async () => {
  const api = new Gitlab({ host: w.url, token: w.root.token })
  const project = await api.Projects.create({ name: unique('Move') })
  await giveSample(project)
  await api.Projects.edit(project.id, { repositoryStorage: 'second' })
  // What an earlier test has scheduled may make others meanwhile.
  const latest = await api.ProjectRepositoryStorageMoves.all({ perPage: 20, maxPages: 1 })
  const move = latest.find((one) => one.project.id === project.id)
  expect(move).toMatchObject({ destination_storage_name: 'second', project: { id: project.id } })
  const id = move?.id ?? 0
  expect(await api.ProjectRepositoryStorageMoves.show(id)).toMatchObject({ id })
  // It has moved once the copy is served.
  const found = async () =>
    (await api.Projects.all({ repositoryStorage: 'second', perPage: 100 })).map(({ id }) => id)
  await expect.poll(found).toContain(project.id)
  await w.root.put('/application/settings', { repository_storages_weighted: { default: 100 } })
  const moves = [api.ProjectRepositoryStorageMoves, api.SnippetRepositoryStorageMoves]
  for (const kind of moves) {
    const answer: unknown = await kind.schedule('second', { destinationStorageName: 'default' })
    expect(answer).toEqual({ message: '202 Accepted' })
  }
})

test('@gitbeaker/rest does the same with groups and snippets', async () => {
  await using open = new AsyncDisposableStack()
  const licensed = await w.licensed()
  const api = new Gitlab({ host: licensed.url, token: w.root.token })
  const group = await w.group()
  await api.GroupWikis.create(group.id, 'Here', 'Home')
  const snippet = await api.Snippets.create('Some', {
    visibility: 'private',
    files: [{ filePath: 'a.txt', content: 'Text' }],
  })
  // The client has no name for a move of one.
  const premium = new Client(licensed.url, w.root.headers)
  const wanted = { destination_storage_name: 'second' }
  const kinds = [
    [api.GroupRepositoryStorageMoves, `/groups/${group.id}`, { group: { id: group.id } }],
    [api.SnippetRepositoryStorageMoves, `/snippets/${snippet.id}`, { snippet: { id: snippet.id } }],
  ] as const
  for (const [moves, owner, shown] of kinds) {
    const { body } = await premium.post(`${owner}/repository_storage_moves`, wanted)
    const latest: readonly { readonly id: number }[] = await moves.all({ perPage: 20, maxPages: 1 })
    expect(latest.find(({ id }) => id === body.id)).toMatchObject({ id: body.id, ...shown })
    expect(await moves.show(body.id)).toMatchObject({ id: body.id, ...shown })
    const answer: unknown = await moves.schedule('second', { destinationStorageName: 'default' })
    expect(answer).toEqual({ message: '202 Accepted' })
  }
})
