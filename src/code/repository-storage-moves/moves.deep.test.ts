import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '#server-options.ts'
import { Client } from '#test/client.ts'
import { unique, w } from '#test/world.ts'
import { exists, finished, moveProject, placeOf, projectWithCode, reaches, SECOND } from './test-support.ts'

// What clients see of moves: who may, what is refused, what is answered. copying.test.ts has what happens to repositories.

let licensed: RunningServer
let premium: Client
const settings = {
  repository_storage_moves_source_retention: 0,
  repository_storages_weighted: { default: 100 },
}
beforeAll(async () => {
  licensed = await w.licensed()
  premium = new Client(licensed.url, w.root.headers)
  await w.root.put('/application/settings', settings)
})
afterAll(async () => {
  const normal = {
    repository_storage_moves_source_retention: 30,
    repository_storages_weighted: { default: 100 },
  }
  await w.root.put('/application/settings', normal)
})

describe('a project', () => {
  test('moves with its wiki, and has the fields that clients know', async () => {
    const project = await projectWithCode()
    await project.owner.post(`/projects/${project.id}/wikis`, { title: 'Home', content: 'Here' })
    const before = await placeOf(project)
    const path = `/projects/${project.id}/repository_storage_moves`
    const { status, body } = await w.root.post(path, { destination_storage_name: SECOND })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      state: 'scheduled',
      source_storage_name: 'default',
      destination_storage_name: SECOND,
      project: {
        id: project.id,
        description: null,
        name: expect.any(String),
        name_with_namespace: expect.any(String),
        path: expect.any(String),
        path_with_namespace: project.fullPath,
        created_at: expect.any(String),
      },
    })
    await finished(body.id)
    const [after, wiki] = [await placeOf(project), await placeOf(project, 'wiki')]
    expect([after.storage, wiki.storage, after.read_only_because]).toEqual([SECOND, SECOND, null])
    expect(await exists(before.folder)).toBe(false)
    expect((await w.root.get(`/projects/${project.id}`)).body.repository_storage).toBe(SECOND)
    expect((await w.root.get(`/projects/${project.id}/storage`)).body.repository_storage).toBe(SECOND)
    expect((await project.guest.get(`/projects/${project.id}/wikis/Home`)).body.content).toBe('Here')
    const page = await w.root.get(path)
    expect(page.body).toEqual([{ ...body, state: 'finished' }])
    expect((await w.root.get(`${path}/${body.id}`)).body).toEqual(page.body[0])
    expect((await w.root.get(`/project_repository_storage_moves?per_page=20`)).body).toContainEqual(
      page.body[0],
    )
    expect((await project.owner.get(`/projects/${project.id}/repository/tree`)).status).toBe(200)
  })

  test('that nobody has written to gets its place on the other storage', async () => {
    const project = await w.project()
    await finished(await moveProject(project))
    const shown = await w.root.get(`/projects/${project.id}`)
    expect([shown.body.repository_storage, shown.body.empty_repo]).toEqual([SECOND, true])
    const commit = { branch: 'main', content: 'x', commit_message: 'Begin' }
    expect((await project.owner.post(`/projects/${project.id}/repository/files/a`, commit)).status).toBe(201)
    expect((await placeOf(project)).storage).toBe(SECOND)
  })

  test('moves when an administrator changes its storage, and for nobody else', async () => {
    const project = await projectWithCode()
    const path = `/projects/${project.id}`
    const to = (repository_storage: string) => ({ repository_storage })
    expect((await project.owner.put(path, to(SECOND))).status).toBe(403)
    expect((await project.owner.put(path, { ...to('default'), description: 'Same' })).status).toBe(200)
    expect((await w.root.put(path, to('default'))).status).toBe(200)
    expect((await w.root.put(path, to(unique('none')))).body.error).toBe(
      'repository_storage does not have a valid value',
    )
    expect((await w.root.get(`${path}/repository_storage_moves`)).body).toEqual([])
    expect((await w.root.put(path, to(SECOND))).status).toBe(200)
    const [move] = (await w.root.get(`${path}/repository_storage_moves`)).body
    await finished(move.id)
    expect((await placeOf(project)).storage).toBe(SECOND)
  })

  test('is made on the storage that an administrator names, and found by it', async () => {
    const on = (await w.root.post('/projects', { name: unique('p'), repository_storage: SECOND })).body
    expect(on.repository_storage).toBe(SECOND)
    const begun = { name: unique('p'), repository_storage: SECOND, initialize_with_readme: true }
    const withReadme = (await w.root.post('/projects', begun)).body
    expect([withReadme.repository_storage, (await placeOf(withReadme)).storage]).toEqual([SECOND, SECOND])
    expect((await w.root.get(`/projects/${withReadme.id}/repository/files/README.md/raw`)).status).toBe(200)
    const off = await w.project()
    const found = async (name: string) =>
      (await w.root.get(`/projects?repository_storage=${name}&per_page=100&order_by=id`)).body.map(
        ({ id }: { id: number }) => id,
      )
    expect(await found(SECOND)).toEqual(expect.arrayContaining([on.id, withReadme.id]))
    expect(await found(SECOND)).not.toContain(off.id)
    expect(await found('default')).toContain(off.id)
    expect(await found('default')).not.toContain(on.id)
    expect(await found(unique('none'))).toEqual([])
  })
})

describe('a move is refused', () => {
  test('to where the repository is, to what is no storage, and where no other one has a weight', async () => {
    const project = await projectWithCode()
    const path = `/projects/${project.id}/repository_storage_moves`
    const refusal = async (destination_storage_name?: unknown) => {
      const { status, body } = await w.root.post(path, { destination_storage_name })
      return [status, body.message]
    }
    expect(await refusal('default')).toEqual([
      400,
      { destination_storage_name: ['is the storage where it is already'] },
    ])
    const hostile = ['../default', 'default;x=/tmp', "'; drop table users", 'DEFAULT', 'sécond', ' second']
    for (const name of [unique('none'), '__proto__', 'constructor', ...hostile]) {
      expect(await refusal(name)).toEqual([
        400,
        { destination_storage_name: ['does not have a valid value'] },
      ])
    }
    expect((await refusal(''))[0]).toBe(400)
    expect((await refusal('x'.repeat(256)))[0]).toBe(400)
    expect((await refusal())[0]).toBe(400)
    expect((await w.root.get(path)).body).toEqual([])
  })

  test('while another one of the same project is under way, of many at once all but one', async () => {
    const project = await projectWithCode()
    const path = `/projects/${project.id}/repository_storage_moves`
    const asked = await Promise.all(
      Array.from({ length: 5 }, () => w.root.post(path, { destination_storage_name: SECOND })),
    )
    expect(asked.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400, 400, 400])
    const refused = asked.find(({ status }) => status === 400)
    expect(refused?.body.message).toEqual({ project: ['has a storage move under way'] })
    await finished(asked.find(({ status }) => status === 201)?.body.id)
    await finished(await moveProject(project, 'default'))
  })

  test('to everybody but administrators', async () => {
    const project = await w.project({ visibility: 'public' })
    for (const path of [
      `/projects/${project.id}/repository_storage_moves`,
      '/project_repository_storage_moves',
    ]) {
      expect((await project.owner.get(path)).status).toBe(403)
      expect((await w.anonymous.get(path)).status).toBe(401)
    }
    const secret = await w.project()
    expect((await secret.stranger.get(`/projects/${secret.id}/repository_storage_moves`)).status).toBe(404)
    expect((await w.root.get(`/projects/${project.id}/repository_storage_moves/2147483647`)).status).toBe(404)
    expect((await w.root.get('/project_repository_storage_moves?pagination=keyset')).status).toBe(405)
  })
})

test('weights choose where a move goes that names no storage', async () => {
  const project = await projectWithCode()
  await w.root.put('/application/settings', { repository_storages_weighted: { default: 100, [SECOND]: 1 } })
  const { body } = await w.root.post(`/projects/${project.id}/repository_storage_moves`)
  await w.root.put('/application/settings', settings)
  expect(body.destination_storage_name).toBe(SECOND)
  await finished(body.id)
})

describe('a whole storage', () => {
  test('is left by everything on it, also by wikis whose project is elsewhere', async () => {
    const project = await projectWithCode()
    await finished(await moveProject(project))
    await project.owner.post(`/projects/${project.id}/wikis`, { title: 'Home', content: 'Here' })
    await finished(await moveProject(project))
    const { status, body } = await w.root.post('/project_repository_storage_moves', {
      source_storage_name: SECOND,
      destination_storage_name: 'default',
    })
    expect([status, body]).toEqual([202, { message: '202 Accepted' }])
    // Other files leave projects and failed moves of their own.
    const left = () =>
      w.db
        .selectFrom('repositories')
        .select('id')
        .where('storage', '=', SECOND)
        .where('project_id', '=', project.id)
        .execute()
    await expect.poll(left, { timeout: 120_000 }).toEqual([])
    const moves = () =>
      w.db
        .selectFrom('repository_storage_moves')
        .select('id')
        .where('state', '<>', 'finished')
        .where('project_id', '=', project.id)
        .execute()
    await expect.poll(moves, { timeout: 120_000 }).toEqual([])
    const copies = w.db
      .selectFrom('repository_storage_copies as c')
      .innerJoin('repositories as r', 'r.id', 'c.repository_id')
      .where('r.project_id', '=', project.id)
    expect(await copies.select('c.id').execute()).toEqual([])
  }, 180_000)

  test.each([
    [
      {},
      {
        message: '400 (Bad request) "source_storage_name" not given',
        error: 'source_storage_name is missing',
      },
    ],
    [{ source_storage_name: 'none' }, { error: 'source_storage_name does not have a valid value' }],
    [
      { source_storage_name: 'default', destination_storage_name: 'none' },
      { error: 'destination_storage_name does not have a valid value' },
    ],
    [
      { source_storage_name: 'default', destination_storage_name: 'default' },
      { message: { destination_storage_name: ['is the storage where it is already'] } },
    ],
    [
      { source_storage_name: 'default' },
      { message: { destination_storage_name: [expect.stringContaining('weight')] } },
    ],
  ])('refuses %j', async (given, answer) => {
    for (const kind of ['project', 'snippet', 'group']) {
      const { status, body } = await premium.post(`/${kind}_repository_storage_moves`, given)
      expect([status, body]).toEqual([400, expect.objectContaining(answer)])
    }
  })
})

test('a group moves its wiki alone, with a plan', async () => {
  const group = await w.group()
  const page = { title: 'Home', content: 'Here' }
  await premium.post(`/groups/${group.id}/wikis`, page)
  const path = `/groups/${group.id}/repository_storage_moves`
  const refused = await w.root.post(path, { destination_storage_name: SECOND })
  expect([refused.status, refused.body.message]).toEqual([
    403,
    '403 Forbidden - Group repository storage moves needs premium',
  ])
  const { status, body } = await premium.post(path, { destination_storage_name: SECOND })
  const { name } = (await w.root.get(`/groups/${group.id}`)).body
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(Number),
      created_at: expect.any(String),
      state: 'scheduled',
      source_storage_name: 'default',
      destination_storage_name: SECOND,
      group: { id: group.id, web_url: `${licensed.url}/groups/${group.fullPath}`, name },
    },
  ])
  await reaches(`${path}/${body.id}`, 'finished', premium)
  expect((await placeOf(group, 'group_wiki')).storage).toBe(SECOND)
  expect((await premium.get(`/groups/${group.id}/wikis/Home`)).body.content).toBe('Here')
  expect((await premium.get(path)).body).toEqual([{ ...body, state: 'finished' }])
  expect((await premium.get(`/group_repository_storage_moves/${body.id}`)).body.id).toBe(body.id)
  expect((await premium.get(`/project_repository_storage_moves/${body.id}`)).status).toBe(404)
  const other = await w.group()
  expect((await premium.get(`/groups/${other.id}/repository_storage_moves/${body.id}`)).status).toBe(404)
  const all = { source_storage_name: SECOND, destination_storage_name: 'default' }
  expect((await premium.post('/group_repository_storage_moves', all)).status).toBe(202)
  await expect.poll(async () => (await placeOf(group, 'group_wiki')).storage).toBe('default')
})

test('a snippet moves, those of persons and of projects', async () => {
  const some = { title: 'Some', visibility: 'private', file_name: 'a.txt', content: 'Text' }
  const { body: snippet } = await w.root.post('/snippets', some)
  const path = `/snippets/${snippet.id}/repository_storage_moves`
  const { status, body } = await w.root.post(path, { destination_storage_name: SECOND })
  const { author, file_name, files, imported, imported_from, repository_storage, ...shown } = snippet
  expect([author.id, files.length, file_name, imported, imported_from, repository_storage]).toBeTruthy()
  expect([status, body.snippet]).toEqual([201, shown])
  await reaches(`/snippet_repository_storage_moves/${body.id}`)
  expect((await w.root.get(`/snippets/${snippet.id}`)).body.repository_storage).toBe(SECOND)
  expect((await w.root.get(`/snippets/${snippet.id}/raw`)).status).toBe(200)
  expect((await w.root.get(path)).body).toMatchObject([{ id: body.id, state: 'finished' }])
  expect((await w.root.get('/snippets/2147483647/repository_storage_moves')).status).toBe(404)
  const all = { source_storage_name: SECOND, destination_storage_name: 'default' }
  expect((await w.root.post('/snippet_repository_storage_moves', all)).status).toBe(202)
  await expect.poll(async () => (await placeOf(snippet, 'snippet')).storage).toBe('default')
})
