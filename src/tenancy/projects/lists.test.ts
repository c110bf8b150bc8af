import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { type Answer, linkTo } from '#test/client.ts'
import { type Actor, unique, w } from '#test/world.ts'
import { ProjectSimple } from './fields.ts'

const ids = ({ body }: Answer): number[] => body.map(({ id }: { id: number }) => id)

/** A group with a member, and a maker of projects in it. */
async function authorizeGroup() {
  const group = await w.group()
  const make = async (given: object = {}): Promise<number> => {
    const { status, body } = await group.owner.post('/projects', {
      name: unique('p'),
      namespace_id: group.id,
      ...given,
    })
    expect(status).toBe(201)
    return body.id
  }
  return { ...group, make }
}

describe('GET /projects', () => {
  test('shows callers without credentials what is public, in short', async () => {
    const open = await w.project({ visibility: 'public' })
    const internal = await w.project({ visibility: 'internal' })
    const answer = await w.anonymous.get(`/projects?id_after=${open.id - 1}&simple=false`)
    expect(ids(answer)).toContain(open.id)
    expect(ids(answer)).not.toContain(internal.id)
    expect(Object.keys(answer.body[0])).toEqual(Object.keys(ProjectSimple.properties))
    expect(ids(await w.anonymous.get(`/projects?owned=true&id_after=${open.id - 1}`))).toEqual([])
  })

  test('shows people what they are members of and what is internal; external users not that', async () => {
    const hidden = await w.project()
    const internal = await w.project({ visibility: 'internal' })
    const external = await w.user({ external: true })
    await w.member(hidden.namespaceId, external, levels.guest)
    const since = `/projects?id_after=${hidden.id - 1}`
    expect(ids(await hidden.stranger.get(since))).toEqual([internal.id])
    expect(ids(await external.get(since))).toEqual([hidden.id])
    expect(ids(await w.root.get(since))).toEqual([internal.id, hidden.id])
    expect((await external.get(since)).body[0].permissions).toEqual({
      project_access: { access_level: 10, notification_level: 3 },
      group_access: null,
    })
  })

  test('sends four statements or fewer, however many rows', async () => {
    const { owner, make } = await authorizeGroup()
    for (let made = 0; made < 12; made += 1) await make()
    await owner.get('/projects?membership=true')
    const sent = await w.statements(async () => {
      expect(ids(await owner.get('/projects?membership=true&statistics=true'))).toHaveLength(12)
    })
    expect(sent.length).toBeLessThanOrEqual(4)
  })

  test('filters by what one is there, and starred', async () => {
    const { owner, developer, make } = await authorizeGroup()
    const [one, two] = [await make(), await make()]
    await developer.post(`/projects/${one}/star`)
    const own = (await developer.post('/projects', { name: unique('own') })).body.id
    const mine = (filter: string) => developer.get(`/projects?order_by=id&sort=asc&${filter}`).then(ids)
    expect(await mine('membership=true')).toEqual([one, two, own])
    expect(await mine('owned=true')).toEqual([own])
    expect(await mine('min_access_level=30')).toEqual([one, two, own])
    expect(await mine('min_access_level=40')).toEqual([own])
    expect(await mine('starred=true')).toEqual([one])
    expect(ids(await owner.get('/projects?owned=true&order_by=id'))).toEqual([two, one])
  })

  test('filters by state, visibility, features and time', async () => {
    const { owner, make } = await authorizeGroup()
    const plain = await make()
    const closed = await make({ issues_enabled: false, merge_requests_access_level: 'private' })
    await owner.post(`/projects/${plain}/archive`)
    const among = (filter: string) => owner.get(`/projects?membership=true&${filter}`).then(ids)
    expect(await among('archived=true')).toEqual([plain])
    expect(await among('archived=false')).toEqual([closed])
    expect(await among('active=false')).toEqual([plain])
    expect(await among('visibility=public')).toEqual([])
    expect(await among('with_issues_enabled=true')).toEqual([plain])
    expect(await among('with_merge_requests_enabled=true')).toEqual([closed, plain])
    expect(await among(`id_before=${closed}`)).toEqual([plain])
    expect(await among('last_activity_after=2999-01-01')).toEqual([])
    expect(await among('updated_before=2999-01-01T00:00:00%2B02:00')).toEqual([closed, plain])
  })

  test.each([
    'topic=a,b',
    'topic_id=1',
    'with_programming_language=ruby',
    'marked_for_deletion_on=2026-01-01',
    'wiki_checksum_failed=true',
    'custom_attributes[a]=b',
  ])('finds nothing by what no project has yet: %s', async (filter) => {
    const { owner, make } = await authorizeGroup()
    await make()
    expect(ids(await owner.get(`/projects?membership=true&${filter}`))).toEqual([])
  })

  test('searches names, paths and descriptions, and with namespaces their paths', async () => {
    const { owner, make, fullPath } = await authorizeGroup()
    const word = unique('Needle')
    const byName = await make({ name: `A ${word}`, path: unique('x') })
    const byText = await make({ description: `see ${word.toLowerCase()}` })
    const exact = await make({ name: word })
    const search = (rest: string) => owner.get(`/projects?search=${rest}`).then(ids)
    expect((await search(word)).toSorted((a, b) => a - b)).toEqual(
      [byName, byText, exact].toSorted((a, b) => a - b),
    )
    expect(await search(`${word}&order_by=similarity`)).toEqual([exact, byName, byText])
    expect(await search(fullPath)).toEqual([])
    expect(await search(`${fullPath}&search_namespaces=true`)).toHaveLength(3)
    expect(await search('100%25_')).toEqual([])
    expect((await owner.get('/projects?order_by=similarity')).status).toBe(400)
  })

  test.each(['name', 'path', 'created_at', 'updated_at', 'last_activity_at', 'star_count', 'id'])(
    'orders by %s, both ways',
    async (by) => {
      const { owner, make } = await authorizeGroup()
      const [b, a] = [await make({ name: 'b', path: 'b' }), await make({ name: 'a', path: 'a' })]
      for (const [id, stars] of [
        [b, 2],
        [a, 1],
      ] as const) {
        await w.db.updateTable('projects').set({ star_count: stars }).where('id', '=', id).execute()
      }
      const first = await owner.get(`/projects?membership=true&order_by=${by}&sort=asc`)
      const last = await owner.get(`/projects?membership=true&order_by=${by}`)
      expect(ids(first)).toEqual(['name', 'path', 'star_count'].includes(by) ? [a, b] : [b, a])
      expect(ids(last)).toEqual(ids(first).toReversed())
    },
  )

  test('keeps sizes and storages for administrators', async () => {
    const { stranger } = await w.project()
    for (const query of ['order_by=storage_size', 'repository_storage=default']) {
      expect((await stranger.get(`/projects?${query}`)).status).toBe(403)
      expect((await w.root.get(`/projects?${query}`)).status).toBe(200)
    }
    expect(ids(await w.root.get('/projects?repository_storage=other'))).toEqual([])
  })

  test('refuses values that are none', async () => {
    for (const [query, error] of [
      ['visibility=open', 'visibility does not have a valid value'],
      ['min_access_level=11', 'min_access_level does not have a valid value'],
      ['last_activity_after=soon', 'last_activity_after is invalid'],
      ['order_by=color', 'order_by does not have a valid value'],
    ]) {
      const { status, body } = await w.root.get(`/projects?${query}`)
      expect([status, body.error]).toEqual([400, error])
    }
  })

  test('leads past the offset limit to keyset pages', async () => {
    const { status, body } = await w.anonymous.get('/projects?page=5000&per_page=100')
    expect(status).toBe(405)
    expect(body.error).toMatch(/objects of type Project\. Remaining records can be retrieved using keyset/)
    const other = await w.anonymous.get('/projects?pagination=keyset&order_by=name')
    expect(other.status).toBe(405)
  })

  test.each([
    ['asc', 'id_after'],
    ['desc', 'id_before'],
  ])('continues keyset pages %s with %s', async (sort, filter) => {
    const { owner, make } = await authorizeGroup()
    for (let made = 0; made < 3; made += 1) await make()
    const first = await owner.get(
      `/projects?membership=true&pagination=keyset&order_by=id&sort=${sort}&per_page=2`,
    )
    const next = linkTo('next', first) ?? ''
    expect(new URL(next).searchParams.get(filter)).toBe(String(ids(first)[1]))
    const second = await owner.get(next)
    expect(ids(second)).toHaveLength(1)
    expect(second.headers.get('link')).toBeNull()
  })
})

describe('GET /groups/:id/projects', () => {
  test('lists those of the group and, as asked, of groups around it and shared with it', async () => {
    const above = await w.group()
    const group = await w.group({ parent: above.id })
    const below = await w.group({ parent: group.id })
    const [up, here, down] = [
      await w.project({ parent: above.id }),
      await w.project({ parent: group.id }),
      await w.project({ parent: below.id }),
    ]
    const guest = await w.project()
    await w.root.post(`/projects/${guest.id}/share`, { group_id: group.id, group_access: 10 })
    const list = (query: string) =>
      above.owner.get(`/groups/${group.id}/projects?order_by=id&sort=asc&${query}`).then(ids)
    expect(await list('with_shared=false')).toEqual([here.id])
    expect(await list('include_subgroups=true&with_shared=false')).toEqual([here.id, down.id])
    expect(await list('include_ancestor_groups=true&with_shared=false')).toEqual([up.id, here.id])
    expect(await group.owner.get(`/groups/${group.id}/projects?order_by=id&sort=asc`).then(ids)).toEqual([
      here.id,
      guest.id,
    ])
    expect(await group.owner.get(`/groups/${group.id}/projects/shared`).then(ids)).toEqual([guest.id])
    const detail = await group.owner.get(`/groups/${group.id}`)
    expect(detail.body.projects.map(({ id }: { id: number }) => id)).toEqual([here.id])
    expect(detail.body.shared_projects.map(({ id }: { id: number }) => id)).toEqual([guest.id])
  })

  test('shows of a public group only what the caller may see', async () => {
    const group = await w.group({ visibility: 'public' })
    const open = await w.project({ parent: group.id, visibility: 'public' })
    await w.project({ parent: group.id })
    const answer = await w.anonymous.get(`/groups/${group.id}/projects`)
    expect(ids(answer)).toEqual([open.id])
    expect(answer.headers.get('x-total')).toBe('1')
    expect(answer.body[0]).toHaveProperty('issues_enabled', true)
    expect(answer.body[0]).not.toHaveProperty('permissions')
  })
})

describe('projects of users', () => {
  test('are those of their namespace, as far as the caller may see them', async () => {
    const user = await w.user()
    const open = (await user.post('/projects', { name: 'open', visibility: 'public' })).body.id
    const closed = (await user.post('/projects', { name: 'closed' })).body.id
    for (const key of [user.id, user.username.toUpperCase()]) {
      expect(ids(await user.get(`/users/${key}/projects`))).toEqual([closed, open])
      expect(ids(await w.anonymous.get(`/users/${key}/projects`))).toEqual([open])
    }
    expect((await w.anonymous.get('/users/nobody-here/projects')).body.message).toBe('404 User Not Found')
  })

  test('that they starred are seen unless their profile is private', async () => {
    const { id, stranger } = await w.project({ visibility: 'public' })
    const shy = await w.user({ privateProfile: true })
    for (const user of [stranger, shy]) await user.post(`/projects/${id}/star`)
    const starred = (by: Actor, of: Actor) => by.get(`/users/${of.id}/starred_projects`).then(ids)
    expect(await starred(shy, stranger)).toEqual([id])
    expect(await starred(stranger, shy)).toEqual([])
    expect(await starred(shy, shy)).toEqual([id])
    expect(await starred(w.root, shy)).toEqual([id])
  })

  test('that they worked on are none yet: labels and projects alone are no work', async () => {
    const { owner } = await w.project()
    expect(ids(await owner.get(`/users/${owner.id}/contributed_projects`))).toEqual([])
  })
})
