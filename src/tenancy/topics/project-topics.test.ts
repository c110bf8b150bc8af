import { describe, expect, test } from 'vitest'
import type { Answer } from '#test/client.ts'
import { unique, w } from '#test/world.ts'

const ids = ({ body }: Answer): number[] => body.map(({ id }: { id: number }) => id)

const many = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`)

describe('the topics of a project', () => {
  test('are given when it is made, and shown in the order of the alphabet', async () => {
    const [b, a] = [unique('b'), unique('a')]
    const { status, body } = await w.root.post('/projects', { name: unique('p'), topics: [b, a] })
    expect([status, body.topics, body.tag_list]).toEqual([201, [a, b], [a, b]])
    expect((await w.root.get(`/projects/${body.id}`)).body.topics).toEqual([a, b])
  })

  test('are given to a project of somebody else, too', async () => {
    const user = await w.user()
    const topics = [unique('t')]
    const { body } = await w.root.post(`/projects/user/${user.id}`, { name: unique('p'), topics })
    expect(body.topics).toEqual(topics)
  })

  test.each([
    ['a list', { topics: ['x1', 'x2'] }],
    ['text with commas', { topics: 'x1, x2 ,,' }],
    ['commas in a list', { topics: ['x1,x2'] }],
    ['the older name', { tag_list: ['x1', 'x2'] }],
    ['the older name as text', { tag_list: 'x1,x2' }],
    ['both names, of which the newer counts', { topics: ['x1', 'x2'], tag_list: ['y'] }],
    ['a name twice', { topics: ['x1', 'X1', ' x2 ', 'x2'] }],
  ])('are taken as %s', async (_, given) => {
    const { body } = await w.root.post('/projects', { name: unique('p'), ...given })
    expect(body.topics).toEqual(['x1', 'x2'])
  })

  test('are taken from a form', async () => {
    const { id, maintainer } = await w.project()
    const form = new URLSearchParams([
      ['topics[]', 'x1'],
      ['topics[]', 'x2'],
    ])
    const { body } = await maintainer.send('PUT', `/projects/${id}`, { form, headers: formHeaders })
    expect(body.topics).toEqual(['x1', 'x2'])
  })
  const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' }

  test('are replaced by an edit, left by one that does not name them, and emptied by an empty list', async () => {
    const { id, maintainer } = await w.project()
    const put = async (given: object) => (await maintainer.put(`/projects/${id}`, given)).body.topics
    expect(await put({ topics: ['x1', 'x2'] })).toEqual(['x1', 'x2'])
    expect(await put({ topics: ['x2', 'x3'] })).toEqual(['x2', 'x3'])
    expect(await put({ description: 'Other' })).toEqual(['x2', 'x3'])
    expect(await put({ topics: [] })).toEqual([])
    expect(await put({ tag_list: 'x1' })).toEqual(['x1'])
    expect(await put({ topics: '' })).toEqual([])
  })

  test('are those there are, whatever the case of their letters; others are made as they are written', async () => {
    const name = unique('École')
    await w.root.post('/topics', { name, title: 'School' })
    const fresh = `${unique('Two')} words & more`
    const given = [name.toUpperCase(), fresh]
    const { body } = await w.root.post('/projects', { name: unique('p'), topics: given })
    expect(body.topics.toSorted()).toEqual([name, fresh].toSorted())
    const search = await w.root.get(`/topics?search=${encodeURIComponent(fresh)}`)
    expect(search.body).toMatchObject([{ name: fresh, title: fresh, total_projects_count: 1 }])
    // Its name stays while others than it are changed.
    const path = `/topics/${search.body[0].id}`
    expect((await w.root.put(path, { name: fresh, description: 'x' })).body.name).toBe(fresh)
  })

  test.each([
    [{ topics: ['x'.repeat(256)] }, 'topics', 'is too long (maximum is 255 characters)'],
    [{ topics: many(101) }, 'topics', 'has too many elements (maximum is 100)'],
    [{ topics: many(101).join(',') }, 'topics', 'has too many elements (maximum is 100)'],
    [
      { topics: [many(60).join(','), many(60).join(',')] },
      'topics',
      'has too many elements (maximum is 100)',
    ],
    [{ tag_list: many(101) }, 'tag_list', 'has too many elements (maximum is 100)'],
    [{ tag_list: ['a\nb'] }, 'topics', 'have a name with characters that are not allowed'],
  ])('are refused when they cannot be', async (given, name, sentence) => {
    const { id, maintainer } = await w.project()
    for (const answer of [
      await maintainer.put(`/projects/${id}`, given),
      await w.root.post('/projects', { name: unique('p'), ...given }),
    ]) {
      expect([answer.status, answer.body.message]).toEqual([400, { [name]: [sentence] }])
    }
  })

  test('are refused when nobody can read them', async () => {
    const { id, maintainer } = await w.project()
    for (const topic of ['left\u202eright', '\u200b', '.', '..']) {
      const { status, body } = await maintainer.put(`/projects/${id}`, { topics: ['fine', topic] })
      expect([status, body.message]).toEqual([
        400,
        { topics: ['have a name with characters that are not allowed'] },
      ])
    }
    const family = '👩\u200d👩\u200d👧 family'
    expect((await maintainer.put(`/projects/${id}`, { topics: [family] })).body.topics).toEqual([family])
  })

  test('are refused when they are no texts', async () => {
    const { id, maintainer } = await w.project()
    expect((await maintainer.put(`/projects/${id}`, { topics: [{}] })).body.error).toBe('topics is invalid')
    expect((await maintainer.put(`/projects/${id}`, { topics: { a: 'b' } })).body.error).toBe(
      'topics is invalid',
    )
  })

  test('are changed by those who may change the project', async () => {
    const { id, developer, anonymous } = await w.project({ visibility: 'public' })
    expect((await developer.put(`/projects/${id}`, { topics: ['x1'] })).status).toBe(403)
    expect((await anonymous.put(`/projects/${id}`, { topics: ['x1'] })).status).toBe(401)
  })

  test('are in lists of projects, within the same statements', async () => {
    const { id, groupId, owner } = await w.project()
    await owner.put(`/projects/${id}`, { topics: ['x1', 'x2'] })
    await w.member(groupId, owner, 50)
    for (const path of ['/projects?membership=true', `/groups/${groupId}/projects`]) {
      const sent = await w.statements(async () => {
        expect((await owner.get(path)).body).toMatchObject([
          { id, topics: ['x1', 'x2'], tag_list: ['x1', 'x2'] },
        ])
      })
      expect(sent.length).toBeLessThanOrEqual(4)
    }
  })
})

describe('GET /projects?topic=', () => {
  test('finds the projects that have all of them, and that one may see', async () => {
    const [one, other] = [unique('One'), unique('other')]
    const make = async (visibility: string, topics: string[]) =>
      (await w.root.post('/projects', { name: unique('p'), visibility, topics })).body.id
    const both = await make('public', [one, other])
    const first = await make('public', [one])
    const hidden = await make('private', [one, other])
    const found = async (topic: string, by: typeof w.anonymous = w.anonymous) =>
      ids(await by.get(`/projects?sort=asc&topic=${topic}`))
    expect(await found(one)).toEqual([both, first])
    expect(await found(one.toUpperCase())).toEqual([both, first])
    expect(await found(`${one},%20${other}`)).toEqual([both])
    expect(await found(`${one},${other}`, w.root)).toEqual([both, hidden])
    expect(await found(`${one},${unique('unknown')}`)).toEqual([])
    expect((await w.anonymous.get(`/projects?topic=${one}`)).headers.get('x-total')).toBe('2')
  })

  test('and topic_id finds them by the id', async () => {
    const name = unique('t')
    const { body: topic } = await w.root.post('/topics', { name, title: 'x' })
    const { body: project } = await w.root.post('/projects', { name: unique('p'), topics: [name] })
    expect(ids(await w.root.get(`/projects?topic_id=${topic.id}`))).toEqual([project.id])
    expect(ids(await w.root.get(`/projects?topic_id=${topic.id}&topic=${name}`))).toEqual([project.id])
    expect(ids(await w.anonymous.get(`/projects?topic_id=${topic.id}`))).toEqual([])
    expect(ids(await w.root.get('/projects?topic_id=99999999'))).toEqual([])
    expect((await w.root.get('/projects?topic_id=x')).status).toBe(400)
  })
})
