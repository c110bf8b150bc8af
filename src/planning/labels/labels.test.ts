import { describe, expect, test } from 'vitest'
import type { Answer } from '#test/client.ts'
import { unique, w } from '#test/world.ts'

const names = (answer: Answer): string[] => answer.body.map((label: { name: string }) => label.name)

/** A group, a group in it, and a project there, each with a label; all maintained by one user. */
async function tree() {
  const group = await w.group()
  const subgroup = await w.group({ parent: group.id })
  const project = await w.project({ parent: subgroup.id })
  const { owner } = group
  await owner.post(`/groups/${group.id}/labels`, { name: 'of-group', color: 'red' })
  await owner.post(`/groups/${subgroup.id}/labels`, { name: 'of-subgroup', color: 'red' })
  await owner.post(`/projects/${project.id}/labels`, { name: 'of-project', color: 'red' })
  return { group, subgroup, project, owner }
}

describe('POST /projects/:id/labels', () => {
  test('makes a label with every field of the resource', async () => {
    const { id, planner } = await w.project()
    const given = { name: 'bug', color: '#d9534f', description: 'A <b>fault</b>', priority: 2 }
    const { status, body } = await planner.post(`/projects/${id}/labels`, given)
    expect(status).toBe(201)
    expect(body).toEqual({
      ...given,
      id: expect.any(Number),
      description_html: 'A &lt;b&gt;fault&lt;/b&gt;',
      text_color: '#FFFFFF',
      archived: false,
      subscribed: false,
      is_project_label: true,
    })
  })

  test.each([
    ['#abc', '#aabbcc'],
    ['#A1B2C3', '#A1B2C3'],
    ['RebeccaPurple', '#663399'],
  ])('takes the color %s', async (color, stored) => {
    const { id, planner } = await w.project()
    expect((await planner.post(`/projects/${id}/labels`, { name: 'x', color })).body.color).toBe(stored)
  })

  test('refuses what is no color, and a name with a comma', async () => {
    const { id, planner } = await w.project()
    const refused = async (given: object) =>
      (await planner.post(`/projects/${id}/labels`, { name: 'x', color: 'red', ...given })).body
    expect(await refused({ color: 'redd' })).toEqual({ message: { color: ['must be a valid color code'] } })
    expect(await refused({ color: '#12345' })).toEqual({ message: { color: ['must be a valid color code'] } })
    expect(await refused({ name: 'a,b' })).toEqual({ message: { title: ['is invalid'] } })
  })

  test('refuses a name that is used, here or in a group above, with 409', async () => {
    const { project, owner } = await tree()
    for (const name of ['of-project', 'of-subgroup', 'of-group']) {
      const answer = await owner.post(`/projects/${project.id}/labels`, { name, color: 'red' })
      expect(answer.status).toBe(409)
      expect(answer.body).toEqual({ message: 'Label already exists' })
    }
  })

  test('of 20 at once with one name, one is made', async () => {
    const { id, planner } = await w.project()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => planner.post(`/projects/${id}/labels`, { name: 'x', color: 'red' })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
  })

  test('counts as activity of the project', async () => {
    const { id, planner } = await w.project()
    w.clock.hold('2031-02-03T04:05:06.789Z')
    await planner.post(`/projects/${id}/labels`, { name: 'x', color: 'red' })
    const { last_activity_at } = await w.db
      .selectFrom('projects')
      .select('last_activity_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(last_activity_at).toBe('2031-02-03 04:05:06.789+00')
  })
})

describe('GET /projects/:id/labels', () => {
  test('lists by name, with those of the groups above', async () => {
    const { project, owner } = await tree()
    const answer = await owner.get(`/projects/${project.id}/labels`)
    expect(names(answer)).toEqual(['of-group', 'of-project', 'of-subgroup'])
    expect(answer.body.map((label: { is_project_label: boolean }) => label.is_project_label)).toEqual([
      false,
      true,
      false,
    ])
    expect(names(await owner.get(`/projects/${project.id}/labels?include_ancestor_groups=false`))).toEqual([
      'of-project',
    ])
  })

  test('searches in name and description, whatever the case of letters', async () => {
    const { id, planner } = await w.project()
    await planner.post(`/projects/${id}/labels`, { name: 'ÄRGER', color: 'red' })
    await planner.post(`/projects/${id}/labels`, { name: 'other', color: 'red', description: '100% sure' })
    expect(names(await planner.get(`/projects/${id}/labels?search=%C3%A4rger`))).toEqual(['ÄRGER'])
    expect(names(await planner.get(`/projects/${id}/labels?search=100%25`))).toEqual(['other'])
    expect(names(await planner.get(`/projects/${id}/labels?search=_`))).toEqual([])
  })

  test('adds counts when asked, and filters archived ones', async () => {
    const { id, planner } = await w.project()
    await planner.post(`/projects/${id}/labels`, { name: 'old', color: 'red', archived: true })
    await planner.post(`/projects/${id}/labels`, { name: 'new', color: 'red' })
    expect(names(await planner.get(`/projects/${id}/labels?archived=true`))).toEqual(['old'])
    expect(names(await planner.get(`/projects/${id}/labels?archived=false`))).toEqual(['new'])
    const [counted] = (await planner.get(`/projects/${id}/labels?with_counts=true`)).body
    expect(counted).toMatchObject({
      open_issues_count: 0,
      closed_issues_count: 0,
      open_merge_requests_count: 0,
    })
    const [plain] = (await planner.get(`/projects/${id}/labels`)).body
    expect(plain).not.toHaveProperty('open_issues_count')
  })

  test('counts the issues of the project that the viewer may see, in the same statement', async () => {
    const { group, project, owner } = await tree()
    const other = await w.project({ parent: group.id })
    const guest = await w.user()
    await w.member(group.id, guest, 10)
    for (const [place, given] of [
      [project, { labels: 'of-group,of-project' }],
      [project, { labels: 'of-group', confidential: true }],
      [project, { labels: 'of-group', state_event: 'close' }],
      [other, { labels: 'of-group' }],
    ] as const) {
      const { body } = await owner.post(`/projects/${place.id}/issues`, { title: 'x', ...given })
      if ('state_event' in given) await owner.put(`/projects/${place.id}/issues/${body.iid}`, given)
    }
    const counts = async (by: typeof guest, path: string) =>
      (await by.get(`${path}/labels?with_counts=true`)).body.map(
        (label: Record<string, unknown>) =>
          `${String(label['name'])} ${String(label['open_issues_count'])} ${String(label['closed_issues_count'])}`,
      )
    const inProject = `/projects/${project.id}`
    const inGroup = `/groups/${group.id}`
    expect(await counts(owner, inProject)).toEqual(['of-group 2 1', 'of-project 1 0', 'of-subgroup 0 0'])
    expect(await counts(guest, inProject)).toEqual(['of-group 1 1', 'of-project 1 0', 'of-subgroup 0 0'])
    expect(await counts(owner, inGroup)).toEqual(['of-group 3 1'])
    expect(await counts(guest, inGroup)).toEqual(['of-group 2 1'])
    expect(await w.statements(() => guest.get(`${inProject}/labels?with_counts=true`))).toHaveLength(2)
    await owner.put(inProject, { issues_access_level: 'disabled' })
    expect(await counts(owner, inProject)).toEqual(['of-group 0 0', 'of-project 0 0', 'of-subgroup 0 0'])
    expect(await counts(owner, inGroup)).toEqual(['of-group 1 0'])
  })
})

describe('GET /projects/:id/labels/:label_id', () => {
  test('finds by id and by name, the id first', async () => {
    const { id, planner } = await w.project()
    const { body: first } = await planner.post(`/projects/${id}/labels`, { name: 'a/b c', color: 'red' })
    const { body: second } = await planner.post(`/projects/${id}/labels`, {
      name: String(first.id),
      color: 'red',
    })
    expect((await planner.get(`/projects/${id}/labels/a%2Fb%20c`)).body.id).toBe(first.id)
    expect((await planner.get(`/projects/${id}/labels/${first.id}`)).body.id).toBe(first.id)
    expect((await planner.get(`/projects/${id}/labels/${second.id}`)).body.name).toBe(String(first.id))
  })

  test('404 for an unknown one and for one of another project', async () => {
    const [one, other] = [await w.project(), await w.project()]
    const { body: label } = await other.owner.post(`/projects/${other.id}/labels`, {
      name: 'x',
      color: 'red',
    })
    for (const key of ['nonsense', '999999999', label.id]) {
      const answer = await one.owner.get(`/projects/${one.id}/labels/${key}`)
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual({ message: '404 Label Not Found' })
    }
  })
})

describe('PUT /projects/:id/labels/:label_id', () => {
  test('changes what is given and leaves the rest', async () => {
    const { id, planner } = await w.project()
    await planner.post(`/projects/${id}/labels`, {
      name: 'x',
      color: 'red',
      description: 'kept',
      priority: 1,
    })
    const { status, body } = await planner.put(`/projects/${id}/labels/x`, { new_name: 'y', archived: true })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      name: 'y',
      color: '#ff0000',
      description: 'kept',
      priority: 1,
      archived: true,
    })
    expect(
      (await planner.put(`/projects/${id}/labels/y`, { description: null, priority: null })).body,
    ).toMatchObject({
      description: null,
      priority: null,
    })
  })

  test('takes the older form, which names the label among the parameters', async () => {
    const { id, planner } = await w.project()
    const { body: label } = await planner.post(`/projects/${id}/labels`, { name: 'x', color: 'red' })
    expect((await planner.put(`/projects/${id}/labels`, { name: 'x', new_name: 'y' })).body.name).toBe('y')
    expect(
      (await planner.put(`/projects/${id}/labels`, { label_id: label.id, color: 'blue' })).body.color,
    ).toBe('#0000ff')
    expect((await planner.put(`/projects/${id}/labels`, { new_name: 'z' })).body.error).toBe(
      'label_id, name are missing, exactly one parameter must be provided',
    )
    expect((await planner.delete(`/projects/${id}/labels?name=y`)).status).toBe(204)
  })

  test('refuses a name that is used with 409, and a label of the group with 404', async () => {
    const { project, owner } = await tree()
    const answer = await owner.put(`/projects/${project.id}/labels/of-project`, { new_name: 'of-group' })
    expect(answer.status).toBe(409)
    const older = { name: 'of-project', new_name: 'of-group' }
    expect((await owner.put(`/projects/${project.id}/labels`, older)).status).toBe(409)
    expect((await owner.put(`/projects/${project.id}/labels/of-group`, { color: 'red' })).status).toBe(404)
  })
})

describe('PUT /projects/:id/labels/:label_id/promote', () => {
  test('makes it one of the group, in the place of its duplicates', async () => {
    const group = await w.group()
    const { owner } = group
    const [one, two] = [await w.project({ parent: group.id }), await w.project({ parent: group.id })]
    await owner.post(`/projects/${one.id}/labels`, { name: 'shared', color: 'red' })
    await owner.post(`/projects/${two.id}/labels`, { name: 'shared', color: 'blue', priority: 7 })
    await owner.post(`/projects/${two.id}/labels/shared/subscribe`)
    const { status, body } = await owner.put(`/projects/${one.id}/labels/shared/promote`)
    expect(status).toBe(200)
    expect(body).not.toHaveProperty('is_project_label')
    expect(names(await owner.get(`/groups/${group.id}/labels`))).toEqual(['shared'])
    const [seen] = (await owner.get(`/projects/${two.id}/labels`)).body
    expect(seen).toMatchObject({
      id: body.id,
      color: '#ff0000',
      priority: 7,
      is_project_label: false,
      subscribed: true,
    })
  })

  test('is carried by what carried its duplicates, and by their events', async () => {
    const group = await w.group()
    const { owner } = group
    const [one, two] = [await w.project({ parent: group.id }), await w.project({ parent: group.id })]
    for (const { id } of [one, two]) {
      await owner.post(`/projects/${id}/labels`, { name: 'shared', color: 'red' })
      await owner.post(`/projects/${id}/issues`, { title: 'x', labels: 'shared' })
    }
    const { body } = await owner.put(`/projects/${one.id}/labels/shared/promote`)
    expect((await owner.get(`/projects/${two.id}/issues/1`)).body.labels).toEqual(['shared'])
    const events = await w.db
      .selectFrom('resource_events')
      .select('action')
      .where('label_id', '=', body.id)
      .execute()
    expect(events).toEqual([{ action: 'add' }, { action: 'add' }])
    const [counted] = (await owner.get(`/groups/${group.id}/labels?with_counts=true`)).body
    expect(counted).toMatchObject({ id: body.id, open_issues_count: 2 })
  })

  test('takes the right to change labels of the group', async () => {
    const { id, planner, groupId, stranger } = await w.project({ visibility: 'public' })
    await planner.post(`/projects/${id}/labels`, { name: 'x', color: 'red' })
    expect((await planner.put(`/projects/${id}/labels/x/promote`)).status).toBe(403)
    await w.member(groupId, stranger, 15)
    expect((await stranger.put(`/projects/${id}/labels/x/promote`)).status).toBe(200)
  })

  test('refuses in a personal project, which has no group', async () => {
    const user = await w.user()
    const { namespace_id } = await w.db
      .selectFrom('namespaces')
      .select('id as namespace_id')
      .where('owner_id', '=', user.id)
      .executeTakeFirstOrThrow()
    const project = await w.project({ parent: namespace_id })
    await user.post(`/projects/${project.id}/labels`, { name: 'x', color: 'red' })
    expect((await user.put(`/projects/${project.id}/labels/x/promote`)).status).toBe(400)
  })
})

describe('subscriptions', () => {
  test('304 when nothing changes', async () => {
    const { id, guest, planner } = await w.project()
    await planner.post(`/projects/${id}/labels`, { name: 'x', color: 'red' })
    const subscribed = await guest.post(`/projects/${id}/labels/x/subscribe`)
    expect([subscribed.status, subscribed.body.subscribed]).toEqual([201, true])
    const again = await guest.post(`/projects/${id}/labels/x/subscribe`)
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await planner.get(`/projects/${id}/labels/x`)).body.subscribed).toBe(false)
    expect((await guest.post(`/projects/${id}/labels/x/unsubscribe`)).body.subscribed).toBe(false)
    expect((await guest.post(`/projects/${id}/labels/x/unsubscribe`)).status).toBe(304)
  })
})

describe('GET /groups/:id/labels', () => {
  test('lists its own, with those above, and below as asked', async () => {
    const { group, subgroup, owner } = await tree()
    const list = async (id: number, query: string) => names(await owner.get(`/groups/${id}/labels${query}`))
    expect(await list(subgroup.id, '')).toEqual(['of-group', 'of-subgroup'])
    expect(await list(subgroup.id, '?include_ancestor_groups=false')).toEqual(['of-subgroup'])
    expect(await list(group.id, '')).toEqual(['of-group'])
    expect(await list(group.id, '?include_descendant_groups=true')).toEqual(['of-group', 'of-subgroup'])
    expect(await list(group.id, '?include_descendant_groups=true&only_group_labels=false')).toEqual([
      'of-group',
      'of-project',
      'of-subgroup',
    ])
    expect(await list(subgroup.id, '?only_group_labels=false')).toEqual([
      'of-group',
      'of-project',
      'of-subgroup',
    ])
  })

  test('shows nothing of places below that the viewer may not read', async () => {
    const group = await w.group({ visibility: 'public' })
    const hidden = await w.group({ parent: group.id, visibility: 'private' })
    await hidden.owner.post(`/groups/${hidden.id}/labels`, { name: 'secret', color: 'red' })
    const answer = await group.stranger.get(`/groups/${group.id}/labels?include_descendant_groups=true`)
    expect([names(answer), answer.headers.get('x-total')]).toEqual([[], '0'])
    expect(
      names(await hidden.guest.get(`/groups/${group.id}/labels?include_descendant_groups=true`)),
    ).toEqual(['secret'])
  })

  test('has no fields of projects', async () => {
    const { group, owner } = await tree()
    const [label] = (await owner.get(`/groups/${group.id}/labels`)).body
    expect(label).not.toHaveProperty('priority')
    expect(label).not.toHaveProperty('is_project_label')
  })
})

describe('labels of groups', () => {
  test('are made, changed and deleted by planners and above', async () => {
    const { id, planner } = await w.group()
    const name = unique('label')
    expect((await planner.post(`/groups/${id}/labels`, { name, color: 'red' })).status).toBe(201)
    expect((await planner.post(`/groups/${id}/labels`, { name, color: 'red' })).status).toBe(409)
    expect((await planner.put(`/groups/${id}/labels/${name}`, { color: 'lime' })).body.color).toBe('#00ff00')
    expect((await planner.delete(`/groups/${id}/labels/${name}`)).status).toBe(204)
    expect((await planner.get(`/groups/${id}/labels/${name}`)).status).toBe(404)
  })

  test('are changed and deleted by the name in the body, as older clients do', async () => {
    const { id, planner, guest } = await w.group()
    const labels = `/groups/${id}/labels`
    await planner.post(labels, { name: 'x', color: 'red' })
    expect((await planner.put(labels, { name: 'x', new_name: 'y', color: 'lime' })).body).toMatchObject({
      name: 'y',
      color: '#00ff00',
    })
    expect((await planner.put(labels, { new_name: 'z' })).body.error).toBe(
      'label_id, name are missing, exactly one parameter must be provided',
    )
    expect((await planner.put(labels, { name: 'gone', color: 'red' })).body.message).toBe(
      '404 Label Not Found',
    )
    for (const name of ['y', 'gone']) expect((await guest.delete(labels, { name })).status).toBe(403)
    await planner.post(labels, { name: 'z', color: 'red' })
    const taken = { status: 409, body: { message: 'Label already exists' } }
    expect(await planner.put(labels, { name: 'y', new_name: 'z' })).toMatchObject(taken)
    expect(await planner.put(`${labels}/y`, { new_name: 'z' })).toMatchObject(taken)
    expect((await planner.delete(labels, { name: 'z' })).status).toBe(204)
    expect((await planner.delete(labels, { name: 'y' })).status).toBe(204)
    expect((await planner.get(labels)).body).toEqual([])
  })
})
