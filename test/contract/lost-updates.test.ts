import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'

interface Changed {
  /** Where it is read and changed. */
  readonly path: string
  /** Two changes of different things, which both must stay. */
  readonly changes: readonly [object, object]
}

/** What can be changed by PUT, made anew. */
const things: Readonly<Record<string, () => Promise<Changed>>> = {
  'a label of a project': async () => {
    const { id } = await w.project()
    await w.root.post(`/projects/${id}/labels`, { name: 'x', color: 'red' })
    return { path: `/projects/${id}/labels/x`, changes: [{ color: '#0000ff' }, { description: 'both' }] }
  },
  'a label of a group': async () => {
    const { id } = await w.group()
    await w.root.post(`/groups/${id}/labels`, { name: 'x', color: 'red' })
    return { path: `/groups/${id}/labels/x`, changes: [{ color: '#0000ff' }, { description: 'both' }] }
  },
  'a milestone': async () => {
    const { id } = await w.project()
    const { body } = await w.root.post(`/projects/${id}/milestones`, { title: 'x' })
    return {
      path: `/projects/${id}/milestones/${body.id}`,
      changes: [{ title: 'y' }, { description: 'both' }],
    }
  },
  'a board': async () => {
    const { id } = await w.project()
    const { body } = await w.root.post(`/projects/${id}/boards`, { name: 'x' })
    return {
      path: `/projects/${id}/boards/${body.id}`,
      changes: [{ name: 'y' }, { hide_backlog_list: true }],
    }
  },
  'a badge': async () => {
    const { id } = await w.project()
    const urls = { link_url: 'https://x.example/', image_url: 'https://x.example/' }
    const { body } = await w.root.post(`/projects/${id}/badges`, urls)
    const changes = [{ link_url: 'https://y.example/' }, { name: 'both' }] as const
    return { path: `/projects/${id}/badges/${body.id}`, changes }
  },
  'a CI/CD variable': async () => {
    const { id } = await w.project()
    await w.root.post(`/projects/${id}/variables`, { key: 'X', value: 'x' })
    return { path: `/projects/${id}/variables/X`, changes: [{ protected: true }, { description: 'both' }] }
  },
  'an issue': async () => {
    const { id } = await w.project()
    await w.root.post(`/projects/${id}/issues`, { title: 'x' })
    return { path: `/projects/${id}/issues/1`, changes: [{ title: 'y' }, { weight: 3 }] }
  },
  'a project': async () => {
    const { id } = await w.project()
    return { path: `/projects/${id}`, changes: [{ wiki_access_level: 'private' }, { description: 'both' }] }
  },
  'the settings of a project': async () => {
    const { id } = await w.project()
    const changes = [{ wiki_access_level: 'private' }, { merge_method: 'ff' }] as const
    return { path: `/projects/${id}`, changes }
  },
  'the settings of a group': async () => {
    const { id } = await w.group()
    const changes = [{ project_creation_level: 'owner' }, { lfs_enabled: false }] as const
    return { path: `/groups/${id}`, changes }
  },
  'a user': async () => {
    const { id } = await w.user()
    return { path: `/users/${id}`, changes: [{ bio: 'both' }, { location: 'here' }] }
  },
  'a topic': async () => {
    const { body } = await w.root.post('/topics', { name: unique('topic'), title: 'x' })
    return { path: `/topics/${body.id}`, changes: [{ title: 'y' }, { description: 'both' }] }
  },
}

describe.each(Object.entries(things))('%s', (_, make) => {
  test('keeps both of two changes at the same moment', async () => {
    const { path, changes } = await make()
    const answers = await Promise.all(changes.map((change) => w.root.put(path, change)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const { body } = await w.root.get(path)
    expect(body).toMatchObject({ ...changes[0], ...changes[1] })
  })
})

/** Sends as many requests as there are numbers, all at the same moment. */
const at50 = (send: (number: number) => Promise<{ status: number }>) =>
  Promise.all(Array.from({ length: 50 }, async (_, number) => (await send(number)).status))

const count = (statuses: readonly number[]) =>
  Object.fromEntries([...Map.groupBy(statuses, String)].map(([status, all]) => [status, all.length]))

describe('of fifty who want the same name', () => {
  test('one gets it for a label', async () => {
    const { id } = await w.project()
    const statuses = await at50(() => w.root.post(`/projects/${id}/labels`, { name: 'x', color: 'red' }))
    expect(count(statuses)).toEqual({ 201: 1, 409: 49 })
  })

  test('one gets it for a milestone, above or below', async () => {
    const group = await w.group()
    const project = await w.project({ parent: group.id })
    const homes = [`/groups/${group.id}`, `/projects/${project.id}`]
    const statuses = await at50((number) => w.root.post(`${homes[number % 2]}/milestones`, { title: 'x' }))
    expect(count(statuses)).toEqual({ 201: 1, 400: 49 })
  })

  test('one gets it for a path', async () => {
    const { id } = await w.group()
    const statuses = await at50((number) =>
      number % 2
        ? w.root.post('/groups', { name: 'x', path: 'same', parent_id: id })
        : w.root.post('/projects', { name: 'x', path: 'same', namespace_id: id }),
    )
    expect(count(statuses)).toEqual({ 201: 1, 400: 49 })
  })

  test('all get their number for issues, without a gap', async () => {
    const { id } = await w.project()
    const statuses = await at50(() =>
      w.root.post(`/projects/${id}/issues`, { title: 'x', labels: 'same,new' }),
    )
    expect(count(statuses)).toEqual({ 201: 50 })
    const { body } = await w.root.get(`/projects/${id}/issues?per_page=100&sort=asc`)
    const numbers = body.map(({ iid }: { iid: number }) => iid)
    expect(numbers.toSorted((a: number, b: number) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 1),
    )
    expect((await w.root.get(`/projects/${id}/labels`)).body).toHaveLength(2)
  })
})
