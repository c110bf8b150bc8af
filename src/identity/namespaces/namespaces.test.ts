import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'

const idsOf = (body: { id: number }[]) => body.map(({ id }) => id)

async function ownNamespace(user: { id: number }): Promise<number> {
  const found = await w.db.selectFrom('namespaces').select('id').where('owner_id', '=', user.id).execute()
  return found[0]?.id ?? 0
}

describe('GET /namespaces', () => {
  test("the caller's own and the groups they are in; for administrators all", async () => {
    const user = await w.user()
    const own = await ownNamespace(user)
    const name = unique('space')
    const top = await w.group({ path: name })
    const inner = await w.group({ parent: top.id, path: 'inner' })
    await w.group({ visibility: 'public' })
    await w.member(top.id, user, 30)
    const list = async (query = '') => idsOf((await user.get(`/namespaces?${query}`)).body)
    expect(await list()).toEqual([own, top.id, inner.id])
    expect(await list('owned_only=true')).toEqual([own])
    expect(await list('top_level_only=true')).toEqual([own, top.id])
    expect(await list(`search=${name}`)).toEqual([top.id])
    expect(await list(`search=${name}&full_path_search=true`)).toEqual([top.id, inner.id])
    const all = await w.root.get(`/namespaces?search=${name}&full_path_search=true`)
    expect(idsOf(all.body)).toEqual([top.id, inner.id])
    expect((await w.anonymous.get('/namespaces')).status).toBe(401)
    expect(await w.statements(() => user.get('/namespaces'))).toHaveLength(3)
  })
})

describe('GET /namespaces/:id', () => {
  test('shows owners what is in it', async () => {
    const { id, encoded, fullPath, owner, guest, stranger } = await w.group()
    const project = await w.project({ parent: id })
    const basic = {
      id,
      name: fullPath,
      path: fullPath,
      kind: 'group',
      full_path: fullPath,
      parent_id: null,
      avatar_url: null,
      web_url: `${w.url}/groups/${fullPath}`,
    }
    expect((await guest.get(`/namespaces/${id}`)).body).toEqual(basic)
    expect((await owner.get(`/namespaces/${encoded}`)).body).toEqual({
      ...basic,
      members_count_with_descendants: 14,
      root_repository_size: 0,
      projects_count: 1,
      billable_members_count: 14,
      plan: 'free',
      trial_ends_on: null,
      trial: false,
    })
    expect((await stranger.get(`/namespaces/${id}`)).body).toEqual({ message: '404 Namespace Not Found' })
    expect((await owner.get(`/namespaces/${encodeURIComponent(project.fullPath)}`)).status).toBe(404)
  })

  test("a user's is their own", async () => {
    const [user, other] = [await w.user(), await w.user()]
    const { body } = await user.get(`/namespaces/${user.username}`)
    expect(body).toMatchObject({ kind: 'user', path: user.username, web_url: `${w.url}/${user.username}` })
    expect((await other.get(`/namespaces/${user.username}`)).status).toBe(404)
    expect((await w.root.get(`/namespaces/${user.username}`)).body.id).toBe(body.id)
  })
})

describe('GET /namespaces/:id/exists', () => {
  test('says whether a path is in use, there or at the top, and names one that is not', async () => {
    const { id, fullPath, owner, stranger } = await w.group()
    await w.group({ parent: id, path: 'inner' })
    await w.group({ parent: id, path: 'Inner1' })
    const ask = async (path: string, by = owner) => (await by.get(`/namespaces/${path}`)).body
    expect(await ask(`${fullPath.toUpperCase()}/exists`, stranger)).toEqual({
      exists: true,
      suggests: [`${fullPath.toUpperCase()}1`],
    })
    expect(await ask(`inner/exists?parent_id=${id}`)).toEqual({ exists: true, suggests: ['inner2'] })
    expect(await ask('inner/exists')).toEqual({ exists: false, suggests: [] })
    expect(await ask(`other/exists?parent_id=${id}`)).toEqual({ exists: false, suggests: [] })
    expect(await ask(`inner/exists?parent_id=${id}`, stranger)).toEqual({
      message: '404 Namespace Not Found',
    })
  })
})

describe('PUT /namespaces/:id', () => {
  test('administrators ration runners', async () => {
    const { id, owner } = await w.group()
    const limit = { shared_runners_minutes_limit: 50 }
    expect((await owner.put(`/namespaces/${id}`, limit)).status).toBe(403)
    expect((await w.root.put(`/namespaces/${id}`, limit)).body).toMatchObject({ id, plan: 'free' })
    expect((await owner.get(`/groups/${id}`)).body.shared_runners_minutes_limit).toBe(50)
    await w.root.put(`/namespaces/${id}`, { shared_runners_minutes_limit: null })
    expect((await owner.get(`/groups/${id}`)).body.shared_runners_minutes_limit).toBeNull()
  })
})
