import { describe, expect, test } from 'vitest'
import { collide } from '#test/conflicts.ts'
import { newSshKey } from '#test/ssh-keys.ts'
import { type Actor, type Place, unique, w } from '#test/world.ts'
import { until } from '#test/until.ts'

/** A project that only the administrator uses, which is made quicker than one with somebody of each role. */
async function ofRoot(): Promise<{ id: number }> {
  const { body } = await w.root.post('/projects', { name: unique('Project') })
  return { id: body.id }
}

const pathOf = ({ id }: { id: number }) => `/projects/${id}/deploy_keys`

type Used = Pick<Place, 'id'> & Partial<Pick<Place, 'maintainer'>>

const ask = (place: Used, given: object = {}, as: Actor = place.maintainer ?? w.root) =>
  as.post(pathOf(place), { title: unique('key'), key: newSshKey(), ...given })

async function made(place: Used, given: object = {}, as?: Actor) {
  const { status, body } = await ask(place, given, as)
  expect([status, body.message]).toEqual([201, undefined])
  return { ...body, path: `${pathOf(place)}/${body.id}` }
}

const identityOf = async ({ id }: { id: number }) => {
  const { body } = await w.root.get(`/projects/${id}`)
  const { description, name, name_with_namespace, path, path_with_namespace, created_at } = body
  return { id, description, name, name_with_namespace, path, path_with_namespace, created_at }
}

const taken = { status: 400, body: { message: { fingerprint_sha256: ['has already been taken'] } } }

describe('POST /projects/:id/deploy_keys', () => {
  test('adds a key', async () => {
    w.clock.hold('2031-01-01T12:00:00Z')
    const place = await w.project()
    const key = newSshKey('deployer of us')
    const { status, body } = await ask(place, {
      title: 'Deployer',
      key,
      can_push: true,
      expires_at: '2031-06-01T00:00:00Z',
    })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        title: 'Deployer',
        key,
        created_at: '2031-01-01T12:00:00.000Z',
        expires_at: '2031-06-01T00:00:00.000Z',
        last_used_at: null,
        usage_type: 'auth_and_signing',
        fingerprint: expect.stringMatching(/^([0-9a-f]{2}:){15}[0-9a-f]{2}$/),
        fingerprint_sha256: expect.stringMatching(/^SHA256:[A-Za-z0-9+/]{43}$/),
        projects_with_write_access: [await identityOf(place)],
        projects_with_readonly_access: [],
        can_push: true,
      },
    ])
    expect((await place.maintainer.get(`${pathOf(place)}/${body.id}`)).body).toEqual(body)
    expect((await place.maintainer.get(pathOf(place))).body).toEqual([body])
  })

  test('gives no right to push unless told', async () => {
    const place = await w.project()
    const body = await made(place)
    expect(body).toMatchObject({ can_push: false, projects_with_write_access: [], expires_at: null })
    expect(body.projects_with_readonly_access).toEqual([await identityOf(place)])
  })

  test('refuses what is no safe key, has expired, or is missing', async () => {
    const place = await w.project()
    expect((await ask(place, { key: 'ssh-ed25519 AAAA' })).body.message).toEqual({ key: ['is invalid'] })
    expect((await ask(place, { expires_at: '2020-01-01' })).body.message).toEqual({ key: ['has expired'] })
    expect((await place.maintainer.post(pathOf(place), {})).body.error).toBe(
      'title is missing, key is missing',
    )
    expect((await ask(place, { title: 'x'.repeat(256) })).status).toBe(400)
  })

  test('refuses the key of a person, and that of a project which the caller does not maintain', async () => {
    const [place, other] = [await w.project(), await w.project()]
    const [own, foreign] = [newSshKey(), newSshKey()]
    await place.maintainer.post('/user/keys', { title: 'mine', key: own })
    expect(await ask(place, { key: own })).toMatchObject(taken)
    expect(await ask(place, { key: own }, w.root)).toMatchObject(taken)
    await made(other, { key: foreign })
    await w.member(other.namespaceId, place.maintainer, 30)
    expect(await ask(place, { key: foreign })).toMatchObject(taken)
    expect(await place.maintainer.post('/user/keys', { title: 'x', key: foreign })).toMatchObject(taken)
  })

  test('enables a key that the caller knows as it is: the first title and end stay', async () => {
    const [place, other] = [await w.project(), await w.project()]
    await w.member(other.namespaceId, place.maintainer, 40)
    const key = newSshKey('first')
    const first = await made(other, { key, title: 'First', can_push: true })
    const again = await made(place, { key: `${key} second`, title: 'Second', expires_at: '2099-01-01' })
    expect(again).toMatchObject({
      id: first.id,
      key,
      title: 'First',
      expires_at: null,
      can_push: false,
      projects_with_write_access: [{ id: other.id }],
      projects_with_readonly_access: [{ id: place.id }],
    })
    // Once more changes nothing.
    expect((await made(other, { key })).can_push).toBe(true)
  })

  test('of the same request at once, in one project and in several, all find the same key', async () => {
    const places = [await ofRoot(), await ofRoot(), await ofRoot()]
    const key = newSshKey()
    const all = [...places, ...places]
    const added = await Promise.all(all.map((place) => made(place, { key })))
    expect(new Set(added.map(({ id }) => id)).size).toBe(1)
  })
})

describe('GET /projects/:id/deploy_keys', () => {
  test('lists the keys of a project in pages, the same statements however many', async () => {
    const place = await w.project()
    await made(place)
    const list = () => place.maintainer.get(`${pathOf(place)}?per_page=2`)
    const few = await w.statements(list)
    for (let count = 0; count < 4; count += 1) await made(place)
    const { headers, body } = await list()
    expect([body.length, headers.get('x-total'), headers.get('x-total-pages')]).toEqual([2, '5', '3'])
    const many = await w.statements(list)
    expect(many).toHaveLength(few.length)
    expect(many.length).toBeLessThanOrEqual(3)
  })

  test('names no project that the caller cannot see', async () => {
    const [place, hidden, open] = [await w.project(), await ofRoot(), await ofRoot()]
    await w.root.put(`/projects/${open.id}`, { visibility: 'public' })
    const key = newSshKey()
    const { path } = await made(place, { key })
    for (const other of [hidden, open]) await made(other, { key })
    const seen = (await place.maintainer.get(path)).body.projects_with_readonly_access
    expect(seen.map(({ id }: { id: number }) => id)).toEqual([place.id, open.id])
    expect((await w.root.get(path)).body.projects_with_readonly_access).toHaveLength(3)
  })

  test('finds a key in its own projects only', async () => {
    const [place, other] = [await w.project(), await w.project()]
    const { id } = await made(place)
    const elsewhere = `${pathOf(other)}/${id}`
    const missing = { status: 404, body: { message: '404 Deploy Key Not Found' } }
    for (const refused of [
      other.owner.get(elsewhere),
      other.owner.put(elsewhere, { can_push: true }),
      other.owner.delete(elsewhere),
      other.owner.post(`${elsewhere}/enable`),
    ]) {
      expect(await refused).toMatchObject(missing)
    }
  })
})

describe('PUT /projects/:id/deploy_keys/:key_id', () => {
  test('changes the right to push here, and the title everywhere', async () => {
    const [place, other] = [await w.project(), await w.project()]
    const key = newSshKey()
    const { path } = await made(place, { key })
    const there = await made(other, { key }, w.root)
    const { status, body } = await place.maintainer.put(path, { title: 'New', can_push: true })
    expect([status, body.title, body.can_push]).toEqual([200, 'New', true])
    expect((await place.maintainer.get(path)).body).toEqual(body)
    expect((await other.maintainer.get(there.path)).body).toMatchObject({ title: 'New', can_push: false })
    expect((await place.maintainer.put(path, { can_push: false })).body).toMatchObject({
      title: 'New',
      can_push: false,
    })
    expect((await place.maintainer.put(path, {})).body.error).toBe(
      'title, can_push are missing, at least one parameter must be provided',
    )
  })

  test('leaves the title of a public key to administrators', async () => {
    const place = await w.project()
    const { id } = (await w.root.post('/deploy_keys', { title: 'Public', key: newSshKey() })).body
    const path = `${pathOf(place)}/${id}`
    await place.maintainer.post(`${path}/enable`)
    expect((await place.maintainer.put(path, { title: 'Mine' })).status).toBe(403)
    expect((await place.maintainer.put(path, { title: 'Public', can_push: true })).body.can_push).toBe(true)
    expect((await w.root.put(path, { title: 'Ours' })).body.title).toBe('Ours')
  })
})

describe('POST /projects/:id/deploy_keys/:key_id/enable', () => {
  test('enables public keys, and those of other projects that the caller maintains', async () => {
    const [place, other] = [await w.project(), await w.project()]
    const { id } = (await w.root.post('/deploy_keys', { title: 'Public', key: newSshKey() })).body
    const enabled = await place.maintainer.post(`${pathOf(place)}/${id}/enable`)
    expect([enabled.status, enabled.body]).toMatchObject([201, { id, title: 'Public', can_push: false }])
    const own = await made(other)
    const path = `${pathOf(place)}/${own.id}/enable`
    expect((await place.maintainer.post(path)).status).toBe(404)
    await w.member(other.namespaceId, place.maintainer, 40)
    expect((await place.maintainer.post(path)).status).toBe(201)
    expect((await place.maintainer.post(path)).status).toBe(201)
    expect((await place.maintainer.get(pathOf(place))).body).toHaveLength(2)
  })

  test('enables every deploy key for administrators, but not the key of a person', async () => {
    const [place, other] = [await ofRoot(), await ofRoot()]
    const { id } = await made(other)
    expect((await w.root.post(`${pathOf(place)}/${id}/enable`)).status).toBe(201)
    const own = (await w.root.post('/user/keys', { title: 'mine', key: newSshKey() })).body
    expect((await w.root.post(`${pathOf(place)}/${own.id}/enable`)).status).toBe(404)
  })
})

describe('removing a deploy key', () => {
  const exists = async (id: number) => (await w.root.get(`/keys/${id}`)).status === 200

  test('deletes it with its last project', async () => {
    const [place, other] = [await w.project(), await w.project()]
    const key = newSshKey()
    const { id, path } = await made(place, { key })
    const there = await made(other, { key }, w.root)
    expect((await place.maintainer.delete(path)).status).toBe(204)
    expect([await exists(id), (await place.maintainer.get(path)).status]).toEqual([true, 404])
    expect((await other.maintainer.delete(there.path)).status).toBe(204)
    expect(await exists(id)).toBe(false)
    expect((await made(place, { key })).id).not.toBe(id)
  })

  test('leaves public ones', async () => {
    const place = await w.project()
    const { id } = (await w.root.post('/deploy_keys', { title: 'Public', key: newSshKey() })).body
    await place.maintainer.post(`${pathOf(place)}/${id}/enable`)
    expect((await place.maintainer.delete(`${pathOf(place)}/${id}`)).status).toBe(204)
    expect(await exists(id)).toBe(true)
  })

  test('happens when the job removes a deleted project, with its group', async () => {
    const group = await w.group()
    const [place, other] = [await w.project({ parent: group.id }), await ofRoot()]
    const [alone, shared] = [newSshKey(), newSshKey()]
    const one = await made(place, { key: alone })
    const two = await made(place, { key: shared })
    await made(other, { key: shared })
    expect((await w.root.delete(`/groups/${group.id}`)).status).toBe(202)
    await until(async () => expect(await exists(one.id)).toBe(false))
    const { projects_with_readonly_access: left } = (await w.root.get(`${pathOf(other)}/${two.id}`)).body
    expect(left.map(({ id }: { id: number }) => id)).toEqual([other.id])
  })

  test('does not happen with the account that added it', async () => {
    const place = await w.project()
    const { id } = await made(place)
    expect((await w.root.delete(`/users/${place.maintainer.id}`)).status).toBe(204)
    const { status, body } = await w.root.get(`/keys/${id}`)
    expect([status, body.id]).toEqual([200, id])
  })

  test('at once from all of its projects, and while others enable it, meets no deadlock and leaves no key behind', async () => {
    const [place, other] = [await ofRoot(), await ofRoot()]
    const key = newSshKey()
    for (let round = 0; round < 3; round += 1) {
      const { id } = await made(place, { key })
      await made(other, { key })
      await collide(
        () => w.root.delete(`${pathOf(place)}/${id}`),
        () => w.root.delete(`${pathOf(other)}/${id}`),
      )
      expect(await exists(id)).toBe(false)
    }
    const { id } = await made(place, { key })
    await collide(
      () => w.root.delete(`${pathOf(place)}/${id}`),
      () => ask(other, { key }),
    )
    for (let round = 0; round < 3; round += 1) {
      const { id: again, path } = await made(other, { key })
      await collide(
        () => w.root.delete(path),
        () => ask(other, { key }),
      )
      await made(other, { key })
      await collide(
        () => w.root.delete(path),
        () => w.root.put(path, { title: unique('title'), can_push: round % 2 === 0 }),
      )
      await collide(
        () => w.root.post(`${pathOf(place)}/${again}/enable`),
        () => w.root.put(path, { title: unique('title'), can_push: round % 2 === 1 }),
      )
    }
    await made(other, { key })
    const keys = (await w.root.get(pathOf(other))).body
    expect(keys).toHaveLength(1)
    expect(await exists(keys[0].id)).toBe(true)
  })
})

describe('deploy keys of the instance', () => {
  test('are public when an administrator adds them there', async () => {
    const key = newSshKey('ci')
    const { status, body } = await w.root.post('/deploy_keys', { title: 'CI', key, expires_at: '2099-01-01' })
    expect([status, body]).toMatchObject([
      201,
      { title: 'CI', key, expires_at: '2099-01-01T00:00:00.000Z', projects_with_write_access: [] },
    ])
    expect(body.can_push).toBeUndefined()
    expect(await w.root.post('/deploy_keys', { title: 'CI', key })).toMatchObject(taken)
  })

  test('are listed with their projects, all of them or the public ones', async () => {
    const place = await w.project()
    const own = await made(place, { can_push: true })
    const shared = (await w.root.post('/deploy_keys', { title: 'CI', key: newSshKey() })).body
    const last = async (query: string) => {
      const { headers } = await w.root.get(`/deploy_keys?per_page=2${query}`)
      const [total, pages] = [Number(headers.get('x-total')), Number(headers.get('x-total-pages'))]
      const before = (await w.root.get(`/deploy_keys?per_page=2&page=${pages - 1}${query}`)).body
      const { body } = await w.root.get(`/deploy_keys?per_page=2&page=${pages}${query}`)
      return { total, keys: [...before, ...body] }
    }
    const all = await last('')
    expect(all.keys.find(({ id }) => id === own.id)).toMatchObject({
      projects_with_write_access: [{ id: place.id }],
      projects_with_readonly_access: [],
    })
    expect(all.keys.at(-1)).toEqual(shared)
    const open = await last('&public=true')
    expect(open.keys.map(({ id }) => id)).not.toContain(own.id)
    expect(open.keys.at(-1)).toEqual(shared)
    expect(open.total).toBeLessThan(all.total)
  })

  test('are found by their fingerprint, with who added them and their projects', async () => {
    const place = await w.project()
    const { id, key, fingerprint, fingerprint_sha256: sha256 } = await made(place, { can_push: true })
    for (const text of [fingerprint, encodeURIComponent(sha256)]) {
      const { body } = await w.root.get(`/keys?fingerprint=${text}`)
      expect(body).toMatchObject({
        id,
        key,
        user: { id: place.maintainer.id },
        deploy_keys_projects: [{ deploy_key_id: id, project_id: place.id, can_push: true }],
      })
    }
  })
})

describe('GET /users/:id_or_username/project_deploy_keys', () => {
  const idsFor = async (by: Actor, { username }: Actor) => {
    const { status, body } = await by.get(`/users/${username}/project_deploy_keys`)
    return status === 200 ? body.map(({ id }: { id: number }) => id) : [status, body.message]
  }

  test('lists the keys of the projects that both maintain', async () => {
    const [common, hers, his] = [await w.project(), await w.project(), await w.project()]
    const { owner: she, maintainer: he } = common
    await w.member(hers.namespaceId, she, 40)
    await w.member(his.namespaceId, he, 40)
    await w.member(his.namespaceId, she, 30)
    const [one, two, three] = [await made(common), await made(hers), await made(his)]
    expect(await idsFor(she, he)).toEqual([one.id])
    expect(await idsFor(he, she)).toEqual([one.id])
    expect(await idsFor(she, she)).toEqual([one.id, two.id])
    expect(await idsFor(w.root, he)).toEqual([one.id, three.id])
  })

  test('is empty without keys, and 403 without such a project', async () => {
    const { owner, maintainer, developer, stranger } = await w.project()
    expect(await idsFor(owner, maintainer)).toEqual([])
    const refusal = [403, '403 Forbidden - No common authorized project found']
    for (const other of [developer, stranger]) {
      expect(await idsFor(owner, other)).toEqual(refusal)
      expect(await idsFor(other, owner)).toEqual(refusal)
    }
    expect((await owner.get('/users/nobody-at-all/project_deploy_keys')).status).toBe(404)
  })
})
