import { beforeAll, describe, expect, test } from 'vitest'
import { collide } from '#test/conflicts.ts'
import type { Client } from '#test/client.ts'
import { type Place, unique, w } from '#test/world.ts'
import { factsOf, keeperOf, licensed, pathOf, protect } from './test-support.ts'

/** A group with a subgroup, and a project in it. */
let group: Place
let below: Place
let project: Place & { groupId: number; namespaceId: number }
beforeAll(async () => {
  group = await w.group()
  below = await w.group({ parent: group.id })
  project = await w.project({ parent: group.id })
})

/** A place of its own for a test that protects the same tier again. */
const own = async () => {
  const place = await w.group()
  return { place, by: keeperOf(place), path: pathOf('group', place) }
}

const level = (access_level: number, access_level_description: string) => ({
  id: expect.any(Number),
  access_level,
  access_level_description,
  user_id: null,
  group_id: null,
  group_inheritance_type: 0,
})

describe('a tier of a group', () => {
  test('is protected, listed, shown, changed and unprotected, with every field', async () => {
    const { by, path } = await own()
    const { status, body } = await by.post(path, {
      name: 'production',
      deploy_access_levels: [{ access_level: 40 }, { access_level: 60 }],
    })
    expect([status, body]).toEqual([
      201,
      {
        name: 'production',
        deploy_access_levels: [level(40, 'Maintainers'), level(60, 'Instance admins')],
        required_approval_count: 0,
        approval_rules: [],
      },
    ])
    await protect(by, path, { name: 'other', deploy_access_levels: [{ access_level: 30 }] })
    const listed = await by.get(path)
    expect(listed.body.map(({ name }: { name: string }) => name)).toEqual(['other', 'production'])
    expect(listed.headers.get('x-total')).toBe('2')
    expect((await by.get(`${path}/production`)).body).toEqual(body)
    const changed = await by.put(`${path}/production`, { required_approval_count: 2 })
    expect([changed.status, changed.body]).toEqual([200, { ...body, required_approval_count: 2 }])
    const ended = await by.delete(`${path}/production`)
    expect([ended.status, ended.body]).toEqual([200, changed.body])
    expect((await by.get(`${path}/production`)).body).toEqual({ message: '404 Not found' })
    expect((await by.delete(`${path}/production`)).status).toBe(404)
    expect((await by.put(`${path}/production`, {})).status).toBe(404)
  })

  test.each(['production', 'staging', 'testing', 'development', 'other'])(
    'may be %s, and is protected once',
    async (name) => {
      const json = { name, deploy_access_levels: [{ access_level: 30 }] }
      const first = await licensed(below.maintainer).post(pathOf('group', below), json)
      expect(first.status).toBe(201)
      const again = await licensed(below.maintainer).post(pathOf('group', below), json)
      expect([again.status, again.body]).toEqual([
        409,
        { message: `Protected environment '${name}' already exists` },
      ])
    },
  )

  test('has no other name, and needs one and somebody who may deploy', async () => {
    const { by, path } = await own()
    const ask = async (json: object) => {
      const { status, body } = await by.post(path, json)
      return [status, body.message]
    }
    const deploy_access_levels = [{ access_level: 30 }]
    expect(await ask({ deploy_access_levels })).toEqual([400, '400 (Bad request) "name" not given'])
    expect(await ask({ name: 'other' })).toEqual([400, '400 (Bad request) "deploy_access_levels" not given'])
    expect(await ask({ name: 'prod', deploy_access_levels })).toEqual([
      400,
      { name: ['does not have a valid value'] },
    ])
    expect(await ask({ name: 'other', deploy_access_levels: [] })).toEqual([
      422,
      ['Deploy access levels is too short (minimum is 1 character)'],
    ])
    expect(await ask({ name: 'other', deploy_access_levels: [{ access_level: 20 }] })).toEqual([
      400,
      { 'deploy_access_levels[0][access_level]': ['does not have a valid value'] },
    ])
    const rule = (rules: object) => ask({ name: 'other', deploy_access_levels, approval_rules: [rules] })
    for (const required_approvals of [0, 101]) {
      expect(await rule({ access_level: 40, required_approvals })).toEqual([
        400,
        { 'approval_rules[0][required_approvals]': ['does not have a valid value'] },
      ])
    }
    expect((await by.get(path)).body).toEqual([])
  })

  test.each([
    ['nobody', {}],
    ['a user and a level', { user_id: 1, access_level: 30 }],
    ['a user and a group', { user_id: 1, group_id: 1 }],
    ['all three', { user_id: 1, group_id: 1, access_level: 30 }],
  ])('refuses an element with %s', async (_, element) => {
    const { status, body } = await keeperOf(group).post(pathOf('group', group), {
      name: 'testing',
      deploy_access_levels: [{ access_level: 30 }],
      approval_rules: [element],
    })
    expect([status, body]).toEqual([
      400,
      { message: { approval_rules: ['must have exactly one of access_level, user_id and group_id'] } },
    ])
  })
})

describe('rule 1: who may be named', () => {
  const ask = (at: Place, kind: 'project' | 'group', element: object) =>
    keeperOf(at).post(pathOf(kind, at), { name: 'staging', deploy_access_levels: [element] })

  test('in a group its Maintainers and above, also by a group above', async () => {
    const refused = async (id: number) => (await ask(group, 'group', { user_id: id })).body.message
    for (const id of [group.developer.id, group.stranger.id, below.maintainer.id, 99999999]) {
      expect(await refused(id)).toEqual({
        deploy_access_levels: [`user ${id} is not a Maintainer of the group`],
      })
    }
    const deploy_access_levels = [{ user_id: group.maintainer.id }, { user_id: below.owner.id }]
    const other = await w.group({ parent: group.id })
    await w.member(other.id, below.owner, 50)
    const { body } = await licensed(other.owner).post(pathOf('group', other), {
      name: 'staging',
      deploy_access_levels,
    })
    expect(body.deploy_access_levels).toMatchObject([
      {
        user_id: group.maintainer.id,
        access_level: 40,
        access_level_description: group.maintainer.username,
      },
      { user_id: below.owner.id, group_id: null },
    ])
  })

  test('in a group the groups below it, and no others', async () => {
    const other = await w.group()
    const deeper = await w.group({ parent: below.id })
    const refusal = (id: number) => ({ deploy_access_levels: [`group ${id} is not a subgroup of the group`] })
    for (const id of [group.id, other.id, project.namespaceId, 99999999]) {
      expect((await ask(group, 'group', { group_id: id })).body.message).toEqual(refusal(id))
    }
    expect((await ask(below, 'group', { group_id: group.id })).body.message).toEqual(refusal(group.id))
    const { body } = await keeperOf(group).post(pathOf('group', group), {
      name: 'staging',
      deploy_access_levels: [{ group_id: deeper.id }, { group_id: below.id, group_inheritance_type: 1 }],
    })
    expect(body.deploy_access_levels).toMatchObject([
      { group_id: deeper.id, user_id: null, access_level: 40, group_inheritance_type: 0 },
      { group_id: below.id, group_inheritance_type: 1 },
    ])
  })

  test('in a project its Reporters and above, and groups above it or invited to it', async () => {
    const invited = await w.group()
    const refused = async (element: object) => (await ask(project, 'project', element)).body.message
    for (const { id } of [project.guest, project.planner, project.stranger, group.stranger]) {
      expect(await refused({ user_id: id })).toEqual({
        deploy_access_levels: [`user ${id} is not a Reporter of the project, or above`],
      })
    }
    expect(await refused({ group_id: invited.id })).toEqual({
      deploy_access_levels: [`group ${invited.id} is neither above the project nor invited to it`],
    })
    await w.root.post(`/projects/${project.id}/share`, { group_id: invited.id, group_access: 20 })
    const elements = [
      { user_id: project.reporter.id },
      { user_id: group.developer.id },
      { group_id: invited.id },
      { group_id: group.id },
    ]
    const { status, body } = await keeperOf(project).post(pathOf('project', project), {
      name: 'staging',
      deploy_access_levels: elements,
    })
    expect([status, body.deploy_access_levels]).toMatchObject([
      201,
      elements.map((element) => ({ ...element, access_level: 40 })),
    ])
  })

  test('also where something is changed', async () => {
    const { place, by, path } = await own()
    const { deploy_access_levels } = await protect(by, path, {
      name: 'staging',
      deploy_access_levels: [{ user_id: place.owner.id }],
    })
    const [{ id }] = deploy_access_levels
    for (const element of [{ user_id: place.developer.id }, { id, user_id: place.developer.id }]) {
      const { status, body } = await by.put(`${path}/staging`, {
        approval_rules: [],
        deploy_access_levels: [element],
      })
      expect([status, body.message]).toEqual([
        400,
        { deploy_access_levels: [`user ${place.developer.id} is not a Maintainer of the group`] },
      ])
    }
    expect((await by.get(`${path}/staging`)).body.deploy_access_levels).toEqual(deploy_access_levels)
  })
})

describe('changing', () => {
  /** A protected tier with two who may deploy and two rules. */
  async function prepared() {
    const { place, by, path } = await own()
    const body = await protect(by, path, {
      name: 'production',
      deploy_access_levels: [{ access_level: 40 }, { user_id: place.owner.id }],
      approval_rules: [{ user_id: place.maintainer.id }, { access_level: 60, required_approvals: 2 }],
    })
    const single = `${path}/production`
    const put = async (json: object) => {
      const answer = await by.put(single, json)
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
      return answer.body
    }
    return { place, by, path: single, body, put }
  }

  test('rule 2: an id with somebody else changes the entry, which keeps its id and place', async () => {
    const { place, body, put } = await prepared()
    const [first, second] = body.approval_rules
    const changed = await put({ approval_rules: [{ id: first.id, user_id: place.owner.id }] })
    expect(changed.approval_rules).toEqual([
      { ...first, user_id: place.owner.id, access_level_description: place.owner.username },
      second,
    ])
    expect(changed.deploy_access_levels).toEqual(body.deploy_access_levels)
    const [level40] = body.deploy_access_levels
    const again = await put({ deploy_access_levels: [{ id: level40.id, access_level: 30 }] })
    expect(again.deploy_access_levels[0]).toMatchObject({ id: level40.id, access_level: 30 })
    const counted = await put({ approval_rules: [{ id: second.id, required_approvals: 5 }] })
    expect(counted.approval_rules[1]).toEqual({ ...second, required_approvals: 5 })
  })

  test('rule 3: an id with _destroy removes the entry', async () => {
    const { body, put } = await prepared()
    const [first, second] = body.approval_rules
    const [deploys] = body.deploy_access_levels
    const changed = await put({
      approval_rules: [{ id: first.id, _destroy: true }],
      deploy_access_levels: [{ ...deploys, _destroy: true }],
    })
    expect(changed.approval_rules).toEqual([second])
    expect(changed.deploy_access_levels).toEqual([body.deploy_access_levels[1]])
    const emptied = await put({ approval_rules: [{ id: second.id, _destroy: true }] })
    expect(emptied.approval_rules).toEqual([])
  })

  test('rule 4: an element without id is a new entry, after the others', async () => {
    const { body, put, place } = await prepared()
    const changed = await put({ approval_rules: [{ user_id: place.owner.id, required_approvals: 1 }] })
    expect(changed.approval_rules).toEqual([
      ...body.approval_rules,
      expect.objectContaining({ user_id: place.owner.id, required_approvals: 1 }),
    ])
  })

  test('the same request again changes nothing, and neither does what was shown', async () => {
    const { place, by, path, put } = await prepared()
    const json = {
      deploy_access_levels: [{ user_id: place.owner.id }, { access_level: 30 }, { access_level: 40 }],
      approval_rules: [
        { access_level: 40, required_approvals: 3 },
        { user_id: place.maintainer.id },
        { access_level: 60 },
      ],
      required_approval_count: 1,
    }
    const first = await put(json)
    expect(first.deploy_access_levels).toMatchObject(json.deploy_access_levels)
    expect(first.approval_rules).toMatchObject(json.approval_rules)
    const facts = await factsOf(place.id)
    const shown = (await by.get(path)).body
    expect([await put(json), await put(shown), await put({}), shown]).toEqual([first, first, first, first])
    expect(await factsOf(place.id)).toEqual(facts)
    expect(facts).toEqual(['environment protected', 'environment protection changed'])
  })

  test('a list of all entries becomes their order, and two may change places', async () => {
    const { body, put } = await prepared()
    const [first, second] = body.approval_rules
    expect((await put({ approval_rules: [{ id: second.id }, { id: first.id }] })).approval_rules).toEqual([
      second,
      first,
    ])
    const swapped = await put({
      approval_rules: [
        { id: second.id, user_id: first.user_id },
        { id: first.id, access_level: 60 },
      ],
    })
    expect(swapped.approval_rules).toMatchObject([
      { id: second.id, user_id: first.user_id, required_approvals: 2 },
      { id: first.id, access_level: 60, required_approvals: 1 },
    ])
  })

  test('refuses ids of others, and somebody named twice', async () => {
    const { place, by, path, body } = await prepared()
    const other = await prepared()
    const [rule] = body.approval_rules
    const foreign = other.body.approval_rules[0].id
    const refusals: readonly (readonly [object, string])[] = [
      [{ id: foreign, access_level: 40 }, `${foreign} is not one of them`],
      [{ id: body.deploy_access_levels[0].id }, `${body.deploy_access_levels[0].id} is not one of them`],
      [{ _destroy: true }, 'needs the id of what _destroy removes'],
      [{ id: rule.id, access_level: 60 }, 'level 60 is named twice'],
      [
        { id: rule.id, access_level: 40, group_id: 1 },
        'must have exactly one of access_level, user_id and group_id',
      ],
    ]
    for (const [element, text] of refusals) {
      const { status, body: refused } = await by.put(path, { approval_rules: [element] })
      expect([status, refused]).toEqual([400, { message: { approval_rules: [text] } }])
    }
    const twice = [{ user_id: place.owner.id }, { user_id: place.owner.id }]
    expect((await by.put(path, { approval_rules: twice })).body.message).toEqual({
      approval_rules: [`user ${place.owner.id} is named twice`],
    })
    expect((await by.get(path)).body).toEqual(body)
  })

  test('takes forms, as some clients send them', async () => {
    const { by, path, body } = await prepared()
    const form = `approval_rules[][access_level]=30&approval_rules[][required_approvals]=2`
    const { body: changed } = await by.send('PUT', path, { form: new URLSearchParams(form) })
    expect(changed.approval_rules).toHaveLength(body.approval_rules.length + 1)
  })
})

describe('an environment of a project', () => {
  test('has any name, and is protected, listed, shown, changed and unprotected', async () => {
    const by = keeperOf(project)
    const path = pathOf('project', project)
    const name = `review/${unique('a b')}`
    const body = await protect(by, path, {
      name,
      deploy_access_levels: [{ access_level: 30 }],
      approval_rules: [{ access_level: 40, required_approvals: 2 }],
      required_approval_count: 1,
    })
    expect(body).toEqual({
      name,
      deploy_access_levels: [level(30, 'Developers + Maintainers')],
      required_approval_count: 1,
      approval_rules: [{ ...level(40, 'Maintainers'), required_approvals: 2 }],
    })
    const single = pathOf('project', project, name)
    expect((await by.get(single)).body).toEqual(body)
    expect((await by.get(path)).body).toContainEqual(body)
    expect((await by.post(path, { name, deploy_access_levels: [{ access_level: 30 }] })).status).toBe(409)
    expect((await by.put(single, { required_approval_count: 0 })).body.required_approval_count).toBe(0)
    const ended = await by.delete(single)
    expect([ended.status, ended.text]).toEqual([204, ''])
    expect((await by.get(single)).status).toBe(404)
  })

  test('is for Maintainers, where the project has environments', async () => {
    const path = pathOf('project', project)
    expect((await licensed(project.developer).get(path)).status).toBe(403)
    expect((await licensed(project.stranger).get(path)).status).toBe(404)
    const closed = await w.project()
    await closed.owner.put(`/projects/${closed.id}`, { environments_access_level: 'disabled' })
    expect((await keeperOf(closed).get(pathOf('project', closed))).status).toBe(403)
  })

  test('needs the plan', async () => {
    const { status, body } = await project.maintainer.get(pathOf('project', project))
    expect([status, body]).toEqual([403, { message: '403 Forbidden - Protected environments needs premium' }])
  })
})

describe('what is named in a protection', () => {
  const shown = async (by: Client, path: string) => (await by.get(path)).body.deploy_access_levels

  test('vanishes from it with the user or group, and the rest stays', async () => {
    const { place, by, path } = await own()
    const user = await w.user()
    await w.member(place.id, user, 40)
    const subgroup = await w.group({ parent: place.id })
    await protect(by, path, {
      name: 'production',
      deploy_access_levels: [{ user_id: user.id }, { group_id: subgroup.id }, { access_level: 40 }],
    })
    expect((await w.root.delete(`/users/${user.id}`)).status).toBe(204)
    expect((await w.root.delete(`/groups/${subgroup.id}`)).status).toBe(202)
    // Both are hidden at once, and removed by a job.
    expect(await shown(by, `${path}/production`)).toMatchObject([{ access_level: 40 }])
    await expect
      .poll(async () => {
        const { rows } = await w.running.services.pool.query(
          'select from protected_environment_grants where user_id = $1 or group_id = $2',
          [user.id, subgroup.id],
        )
        return rows.length
      })
      .toBe(0)
    expect(await shown(by, `${path}/production`)).toMatchObject([{ access_level: 40 }])
    const { body } = await by.put(`${path}/production`, { deploy_access_levels: [{ access_level: 30 }] })
    expect(body.deploy_access_levels).toHaveLength(2)
  })

  test('vanishes with the project or the group that protects', async () => {
    const { place } = await own()
    const inside = await w.project({ parent: place.id })
    const grants = [{ access_level: 40 }]
    await protect(keeperOf(place), pathOf('group', place), { name: 'other', deploy_access_levels: grants })
    await protect(keeperOf(inside), pathOf('project', inside), { name: 'x', deploy_access_levels: grants })
    expect((await w.root.delete(`/groups/${place.id}`)).status).toBe(202)
    await expect
      .poll(() =>
        w.db
          .selectFrom('protected_environments')
          .select('id')
          .where((eb) => eb.or([eb('project_id', '=', inside.id), eb('group_id', '=', place.id)]))
          .execute(),
      )
      .toEqual([])
  })
})

describe('at the same moment', () => {
  test('two who protect the same: one of them does, the other gets 409', async () => {
    const { by, path } = await own()
    const ask = () => by.post(path, { name: 'testing', deploy_access_levels: [{ access_level: 30 }] })
    const [one, other] = await collide(ask, ask)
    const statuses = [...one, ...other].map(({ status }) => String(status))
    expect(statuses.toSorted()).toEqual(['201', '409', '409', '409'])
  })

  test('two who change the same: both do, and nobody is named twice', async () => {
    const { place, by, path } = await own()
    await protect(by, path, { name: 'testing', deploy_access_levels: [{ access_level: 30 }] })
    const add = (...elements: object[]) => by.put(`${path}/testing`, { approval_rules: elements })
    const [level40, owner] = [{ access_level: 40 }, { user_id: place.owner.id }]
    await collide(
      () => add(level40, owner),
      () => add(owner, level40),
    )
    const { body } = await by.get(`${path}/testing`)
    expect(body.approval_rules).toHaveLength(2)
  })

  test('a change and the end of the protection, and of the group', async () => {
    const { by, path, place } = await own()
    await protect(by, path, { name: 'testing', deploy_access_levels: [{ access_level: 30 }] })
    const [, ends] = await collide(
      () => by.put(`${path}/testing`, { approval_rules: [{ user_id: place.owner.id }] }),
      () => by.delete(`${path}/testing`),
    )
    expect(ends.map(({ status }) => String(status)).toSorted()).toEqual(['200', '404'])
    await protect(by, path, { name: 'testing', deploy_access_levels: [{ user_id: place.owner.id }] })
    await collide(
      () => by.put(`${path}/testing`, { required_approval_count: 3 }),
      () => w.root.delete(`/groups/${place.id}`),
    )
  })

  test('a change that names somebody, and the end of their account', async () => {
    const { by, path, place } = await own()
    const user = await w.user()
    await w.member(place.id, user, 40)
    await protect(by, path, { name: 'testing', deploy_access_levels: [{ user_id: user.id }] })
    const [, ends] = await collide(
      () => by.put(`${path}/testing`, { approval_rules: [{ user_id: user.id }, { access_level: 40 }] }),
      () => w.root.delete(`/users/${user.id}?hard_delete=true`),
    )
    expect(ends.map(({ status }) => status)).toContain(204)
  })
})
