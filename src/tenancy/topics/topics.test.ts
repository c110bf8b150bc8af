import { describe, expect, test } from 'vitest'
import type { Answer } from '#test/client.ts'
import { unique, w } from '#test/world.ts'

const made = async (given: object = {}) => {
  const { status, body } = await w.root.post('/topics', { name: unique('topic'), title: 'A topic', ...given })
  expect(status).toBe(201)
  return body
}
const taken = { message: { name: ['has already been taken'] } }
const names = ({ body }: Answer): string[] => body.map(({ name }: { name: string }) => name)

/** A topic's name that starts with nothing else's, and how many of several projects get it. */
async function withProjects(count: number, visibility: 'public' | 'internal' | 'private' = 'public') {
  const name = unique('with')
  const { id } = await made({ name })
  for (let one = 0; one < count; one += 1) {
    const { status } = await w.root.post('/projects', { name: unique('p'), visibility, topics: [name] })
    expect(status).toBe(201)
  }
  return { id, name }
}

describe('POST /topics', () => {
  test('makes a topic with a name and a title', async () => {
    const name = unique('made')
    const { status, body } = await w.root.post('/topics', { name, title: 'Made', description: 'About *it*' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      name,
      title: 'Made',
      description: 'About *it*',
      total_projects_count: 0,
      organization_id: 1,
      avatar_url: null,
    })
    expect((await w.anonymous.get(`/topics/${body.id}`)).body).toEqual(body)
  })

  test('needs both', async () => {
    const { status, body } = await w.root.post('/topics', {})
    expect([status, body.error]).toEqual([400, 'name is missing, title is missing'])
    expect((await w.root.post('/topics', { name: unique('t') })).body.error).toBe('title is missing')
    expect((await w.root.post('/topics', { name: ' ', title: '' })).body.error).toBe(
      'name is empty, title is empty',
    )
  })

  test('refuses a name that is used, whatever the case of its letters', async () => {
    const { name } = await made({ name: unique('École') })
    for (const again of [name, name.toUpperCase(), name.toLowerCase()]) {
      const { status, body } = await w.root.post('/topics', { name: again, title: 'Again' })
      expect([status, body]).toEqual([400, taken])
    }
  })

  test.each([
    'c++',
    'c#',
    'node.js',
    '.net',
    'snake_case',
    '日本語',
    'École',
    '2026',
    'two words',
    'a/b',
    '-',
    '<b>',
    "it's",
    'a%20b',
  ])('takes the name %s', async (name) => {
    expect((await made({ name })).name).toBe(name)
  })

  test.each(['a,b', 'ta\tb', 'line\nbreak', 'left\u202eright', '\u200b', '\u00ad\ufe0f', '.', '..'])(
    'refuses %j',
    async (name) => {
      const { status, body } = await w.root.post('/topics', { name, title: 'x' })
      expect([status, body]).toEqual([400, { message: { name: ['has characters that are not allowed'] } }])
    },
  )

  test('with a blank and a slash is the one that projects mean, and is found, changed and deleted', async () => {
    const name = `${unique('machine')} learning / vision`
    const topic = await made({ name: ` ${name} ` })
    expect(topic.name).toBe(name)
    const p = await w.project({ visibility: 'public' })
    expect((await p.owner.put(`/projects/${p.id}`, { topics: [name] })).body.topics).toEqual([name])
    const query = new URLSearchParams({ topic: name })
    expect((await w.anonymous.get(`/projects?${query.toString()}`)).body).toMatchObject([{ id: p.id }])
    const found = await w.anonymous.get(`/topics?search=${encodeURIComponent(name)}`)
    expect(found.body).toMatchObject([{ id: topic.id, total_projects_count: 1 }])
    expect((await w.root.put(`/topics/${topic.id}`, { title: 'Vision' })).body).toMatchObject({ name })
    expect((await w.root.delete(`/topics/${topic.id}`)).status).toBe(204)
  })

  test.each([
    [{ name: 'x'.repeat(256) }, 'name is too long (maximum is 255 characters)'],
    [{ title: 'x'.repeat(256) }, 'title is too long (maximum is 255 characters)'],
    [{ description: 'x'.repeat(1025) }, 'description is too long (maximum is 1024 characters)'],
    [{ name: ['x'] }, 'name is invalid'],
    [{ organization_id: 'x' }, 'organization_id is invalid'],
  ])('refuses %j', async (given, error) => {
    const { status, body } = await w.root.post('/topics', { name: unique('t'), title: 'x', ...given })
    expect([status, body.error]).toEqual([400, error])
  })

  test('refuses an organization that does not exist', async () => {
    const { status, body } = await w.root.post('/topics', {
      name: unique('t'),
      title: 'x',
      organization_id: 4711,
    })
    expect([status, body]).toEqual([404, { message: '404 Organization Not Found' }])
  })

  test('makes one of two that are sent at once', async () => {
    const name = unique('twice')
    const answers = await Promise.all([1, 2, 3].map(() => w.root.post('/topics', { name, title: 'x' })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400])
  })
})

describe('PUT /topics/:id', () => {
  test('changes what is given and leaves the rest', async () => {
    const { id, name, title } = await made({ description: 'Before' })
    const changed = await w.root.put(`/topics/${id}`, { description: null })
    expect([changed.status, changed.body]).toEqual([
      200,
      expect.objectContaining({ id, name, title, description: null }),
    ])
    const renamed = unique('renamed')
    const { body } = await w.root.put(`/topics/${id}`, { name: renamed, title: 'Other' })
    expect(body).toMatchObject({ name: renamed, title: 'Other', description: null })
    const upper = await w.root.put(`/topics/${id}`, { name: renamed.toUpperCase() })
    expect(upper.body.name).toBe(renamed.toUpperCase())
  })

  test('refuses nothing, blank names, a used one and an impossible one', async () => {
    const [one, other] = [await made(), await made()]
    const put = (given: object) => w.root.put(`/topics/${one.id}`, given)
    expect((await put({})).body.error).toMatch(/at least one parameter must be provided/)
    expect((await put({ name: '' })).body.error).toBe('name is empty')
    expect((await put({ title: ' ' })).body.error).toBe('title is empty')
    for (const name of ['a,b', '..', 'left\u202eright'])
      expect((await put({ name })).body.message).toHaveProperty('name')
    const { status, body } = await put({ name: other.name.toUpperCase() })
    expect([status, body]).toEqual([400, taken])
    expect((await w.root.get(`/topics/${one.id}`)).body).toEqual(one)
  })

  test('is refused when somebody changed it since', async () => {
    const { id } = await made()
    const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2024 00:00:00 GMT' }
    expect((await w.root.put(`/topics/${id}`, { title: 'x' }, { headers })).status).toBe(412)
    expect((await w.root.delete(`/topics/${id}`, undefined, { headers })).status).toBe(412)
  })

  test.each(['PUT', 'GET', 'DELETE'])('%s of one that is not there is 404', async (method) => {
    const json = method === 'GET' ? undefined : { title: 'x' }
    const { status, body } = await w.root.send(method, '/topics/99999999', { json })
    expect([status, body]).toEqual([404, { message: '404 Topic Not Found' }])
    expect((await w.root.send(method, '/topics/x', { json })).status).toBe(400)
  })
})

describe('DELETE /topics/:id', () => {
  test('takes it from its projects', async () => {
    const { id, name } = await withProjects(0)
    const project = await w.root.post('/projects', { name: unique('p'), topics: [name, 'stays'] })
    const { status, text } = await w.root.delete(`/topics/${id}`)
    expect([status, text]).toEqual([204, ''])
    expect((await w.root.get(`/topics/${id}`)).status).toBe(404)
    expect((await w.root.get(`/projects/${project.body.id}`)).body.topics).toEqual(['stays'])
  })
})

describe('GET /topics', () => {
  test('puts those with the most projects first, then the oldest', async () => {
    const [none, two, one, alsoNone] = [
      await withProjects(0),
      await withProjects(2),
      await withProjects(1),
      await withProjects(0),
    ]
    const all = await w.anonymous.get('/topics?per_page=100')
    const here = [none, two, one, alsoNone].map(({ name }) => name)
    expect(names(all).filter((name) => here.includes(name))).toEqual(
      [two, one, none, alsoNone].map(({ name }) => name),
    )
    const counts: number[] = all.body.map(
      (topic: { total_projects_count: number }) => topic.total_projects_count,
    )
    expect(counts).toEqual(counts.toSorted((a, b) => b - a))
  })

  test('comes in pages', async () => {
    const prefix = unique('paged')
    for (const letter of 'abc') await made({ name: `${prefix}-${letter}` })
    const { body, headers } = await w.anonymous.get(`/topics?search=${prefix}&per_page=2&page=2`)
    expect(body).toHaveLength(1)
    expect([headers.get('x-total'), headers.get('x-total-pages')]).toEqual(['3', '2'])
    expect(headers.get('link')).toContain('rel="prev"')
  })

  test('is searched by its whole name when the term has fewer than three characters', async () => {
    const name = unique('t')
    await w.root.post('/topics', { name: 'ß', title: 'One letter' })
    await w.root.post('/topics', { name: 'qz', title: 'Two letters' })
    await w.root.post('/topics', { name: `qz${name}`, title: 'More' })
    expect(names(await w.anonymous.get('/topics?search=Qz'))).toEqual(['qz'])
    expect(names(await w.anonymous.get(`/topics?search=${encodeURIComponent('ß')}`))).toEqual(['ß'])
    expect(names(await w.anonymous.get(`/topics?search=z${name}`))).toEqual([`qz${name}`])
    expect(names(await w.anonymous.get('/topics?search=q'))).toEqual([])
  })

  test('is searched by the name alone, whatever the case of its letters', async () => {
    const name = unique('Ünïque')
    await made({ name, title: 'Nothing alike' })
    expect(names(await w.anonymous.get(`/topics?search=${encodeURIComponent(name.toLowerCase())}`))).toEqual([
      name,
    ])
    expect(names(await w.anonymous.get('/topics?search=Nothing+alike'))).toEqual([])
    expect(names(await w.anonymous.get('/topics?search=%25'))).toEqual([])
  })

  test('is narrowed to those without projects', async () => {
    const prefix = unique('idle')
    await made({ name: `${prefix}-a` })
    await made({ name: `${prefix}-b` })
    await w.root.post('/projects', { name: unique('p'), visibility: 'public', topics: [`${prefix}-a`] })
    const search = `/topics?search=${prefix}`
    expect(names(await w.anonymous.get(`${search}&without_projects=true`))).toEqual([`${prefix}-b`])
    expect(names(await w.anonymous.get(`${search}&without_projects=false`))).toHaveLength(2)
    expect((await w.anonymous.get(`${search}&without_projects=x`)).status).toBe(400)
  })

  test('sends four statements or fewer, however many rows', async () => {
    const user = await w.user()
    for (let count = 0; count < 12; count += 1) await made()
    await user.get('/topics')
    const list = await w.statements(async () =>
      expect((await user.get('/topics')).body.length).toBeGreaterThan(11),
    )
    expect(list.length).toBeLessThanOrEqual(4)
    const { id } = await made()
    const single = await w.statements(() => user.get(`/topics/${id}`))
    expect(single.length).toBeLessThanOrEqual(3)
  })
})

describe('what a caller may not see is in no count', () => {
  const counted = async (by: { get(path: string): Promise<Answer> }, id: number) =>
    (await by.get(`/topics/${id}`)).body?.total_projects_count

  test('each sees how many projects they may see, in the list and by itself', async () => {
    const { id, name } = await withProjects(1, 'public')
    await w.root.post('/projects', { name: unique('p'), visibility: 'internal', topics: [name] })
    const hidden = await w.project()
    expect((await hidden.maintainer.put(`/projects/${hidden.id}`, { topics: [name] })).status).toBe(200)
    const external = await w.user({ external: true })
    expect(await counted(w.anonymous, id)).toBe(1)
    expect(await counted(external, id)).toBe(1)
    expect(await counted(hidden.stranger, id)).toBe(2)
    expect(await counted(hidden.guest, id)).toBe(3)
    expect(await counted(w.root, id)).toBe(3)
    await w.member(hidden.groupId, external, 10)
    expect(await counted(external, id)).toBe(2)
    const [listed] = (await hidden.guest.get(`/topics?search=${name}`)).body
    expect(listed.total_projects_count).toBe(3)
  })

  test('without_projects means without a project that one may see', async () => {
    const { name } = await withProjects(1, 'private')
    const search = `/topics?search=${name}&without_projects=true`
    expect(names(await w.anonymous.get(search))).toEqual([name])
    expect(names(await w.root.get(search))).toEqual([])
  })

  test('a topic that only a hidden project brought is known to those who see that', async () => {
    const { id, maintainer, guest, stranger } = await w.project()
    const name = unique('merger')
    await maintainer.put(`/projects/${id}`, { topics: [name] })
    const search = `/topics?search=${name}`
    expect(names(await stranger.get(search))).toEqual([])
    expect((await w.anonymous.get(search)).headers.get('x-total')).toBe('0')
    const [topic] = (await guest.get(search)).body
    expect(topic).toMatchObject({ name, title: name, total_projects_count: 1 })
    expect((await stranger.get(`/topics/${topic.id}`)).status).toBe(404)
    expect((await guest.get(`/topics/${topic.id}`)).status).toBe(200)
    // An administrator who takes it up makes it everybody's.
    await w.root.put(`/topics/${topic.id}`, { title: 'A merger' })
    expect((await stranger.get(`/topics/${topic.id}`)).body).toMatchObject({ name, total_projects_count: 0 })
  })
})
