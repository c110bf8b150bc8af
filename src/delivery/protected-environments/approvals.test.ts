import { beforeAll, describe, expect, test } from 'vitest'
import { giveSample } from '#test/repositories.ts'
import { type Actor, type Place, unique, w } from '#test/world.ts'
import {
  deploy,
  deployed,
  factsOf,
  joined,
  keeperOf,
  licensed,
  licensedActor,
  pathOf,
  protect,
  say,
  stateOf,
} from './test-support.ts'

/** A group, and a project of it with code. Tests have environments of their own in it. */
let group: Place
let project: Place & { groupId: number; namespaceId: number }
beforeAll(async () => {
  group = await w.group()
  project = await w.project({ parent: group.id })
  await giveSample(project)
})

const everybody = [{ access_level: 30 }]

/** Protects an environment of the project that no other test has. @returns its name */
async function guarded(rules: readonly object[], more: object = {}): Promise<string> {
  const name = unique('production')
  await protect(keeperOf(project), pathOf('project', project), {
    name,
    deploy_access_levels: everybody,
    approval_rules: rules,
    ...more,
  })
  return name
}

const developer = () => licensed(project.developer)
const owner = () => licensed(project.owner)

describe('who may deploy to a protected environment', () => {
  const asks = async (by: Actor, name: string) => (await deploy(licensed(by), project, name)).status

  test('those with the level, the users and the members of the groups that it names, and administrators', async () => {
    const invited = await w.group()
    await w.root.post(`/projects/${project.id}/share`, { group_id: invited.id, group_access: 30 })
    const protectFor = async (element: object) => guarded([], { deploy_access_levels: [element] })
    const level = await protectFor({ access_level: 40 })
    expect([await asks(project.developer, level), await asks(project.maintainer, level)]).toEqual([403, 201])
    const user = await protectFor({ user_id: project.developer.id })
    expect([await asks(project.developer, user), await asks(project.owner, user)]).toEqual([201, 403])
    const members = await protectFor({ group_id: invited.id })
    expect([await asks(invited.developer, members), await asks(project.owner, members)]).toEqual([201, 403])
    const admins = await protectFor({ access_level: 60 })
    expect([await asks(project.owner, admins), await asks(w.root, admins)]).toEqual([403, 201])
    expect([await asks(w.root, user), await asks(project.developer, unique('open'))]).toEqual([201, 201])
  })

  test('members of a group are its own, or with inheritance also those of groups above', async () => {
    const invited = await w.group()
    const below = await w.group({ parent: invited.id })
    await w.root.post(`/projects/${project.id}/share`, { group_id: below.id, group_access: 40 })
    const own = await guarded([], { deploy_access_levels: [{ group_id: below.id }] })
    const all = await guarded([], {
      deploy_access_levels: [{ group_id: below.id, group_inheritance_type: 1 }],
    })
    expect([await asks(below.developer, own), await asks(invited.developer, own)]).toEqual([201, 403])
    expect([await asks(below.developer, all), await asks(invited.developer, all)]).toEqual([201, 201])
  })

  test('to a protected tier those with the role in the group that protects it, whatever they are in the project', async () => {
    await protect(keeperOf(group), pathOf('group', group), {
      name: 'staging',
      deploy_access_levels: [{ access_level: 40 }],
    })
    expect([
      await asks(project.owner, 'staging'),
      await asks(group.developer, 'staging'),
      await asks(group.maintainer, 'staging'),
    ]).toEqual([403, 403, 201])
    // The project protects it, too: both must let somebody.
    await protect(keeperOf(project), pathOf('project', project), {
      name: 'staging',
      deploy_access_levels: [{ user_id: group.owner.id }],
    })
    expect([await asks(group.maintainer, 'staging'), await asks(group.owner, 'staging')]).toEqual([403, 201])
  })

  test('a tier that any group above protects, by the tier of the environment', async () => {
    const top = await w.group()
    const middle = await w.group({ parent: top.id })
    const inside = await w.project({ parent: middle.id })
    await giveSample(inside)
    await protect(keeperOf(top), pathOf('group', top), {
      name: 'testing',
      deploy_access_levels: [{ access_level: 60 }],
    })
    const made = await licensed(inside.maintainer).post(`/projects/${inside.id}/environments`, {
      name: 'somewhere',
      tier: 'testing',
    })
    expect(made.status).toBe(201)
    const statuses = await Promise.all(
      ['somewhere', 'production'].map(
        async (name) => (await deploy(licensed(inside.owner), inside, name)).status,
      ),
    )
    expect(statuses).toEqual([403, 201])
    const environment = `/projects/${inside.id}/environments/${made.body.id}`
    expect((await licensed(inside.owner).put(environment, { tier: 'other' })).status).toBe(403)
    expect((await licensed(inside.owner).post(`${environment}/stop`)).status).toBe(403)
  })

  test('who may deploy cannot take an environment out of a tier whose deployments wait', async () => {
    const top = await w.group()
    const inside = await w.project({ parent: top.id })
    await protect(keeperOf(top), pathOf('group', top), {
      name: 'testing',
      deploy_access_levels: everybody,
      approval_rules: [{ access_level: 40 }],
    })
    const { body } = await licensed(top.developer).post(`/projects/${inside.id}/environments`, {
      name: 'test',
    })
    const change = async (by: Actor, json: object) =>
      (await licensed(by).put(`/projects/${inside.id}/environments/${body.id}`, json)).status
    expect(body.tier).toBe('testing')
    expect([
      await change(top.developer, { tier: 'other' }),
      await change(top.developer, { tier: 'testing', description: 'Tests' }),
      await change(top.maintainer, { tier: 'other' }),
    ]).toEqual([403, 200, 200])
  })

  test('everybody, as long as the plan has no protected environments', async () => {
    const name = await guarded([{ access_level: 40 }], { deploy_access_levels: [{ access_level: 60 }] })
    const { status, body } = await deploy(project.developer, project, name)
    expect([status, body.status, body.approval_summary]).toEqual([201, 'running', { rules: [] }])
  })
})

describe('a deployment that needs approval', () => {
  test('rule 5: waits, and goes on when everybody has approved whom a rule demands', async () => {
    const name = await guarded([
      { user_id: project.maintainer.id },
      { access_level: 40, required_approvals: 2 },
    ])
    const made = await deploy(developer(), project, name)
    const rule = (required_approvals: number, more: object) => ({
      user_id: null,
      group_id: null,
      access_level: null,
      required_approvals,
      deployment_approvals: [],
      ...more,
    })
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        status: 'blocked',
        pending_approval_count: 3,
        approvals: [],
        approval_summary: {
          rules: [
            rule(1, {
              user_id: project.maintainer.id,
              access_level_description: project.maintainer.username,
            }),
            rule(2, { access_level: 40, access_level_description: 'Maintainers' }),
          ],
        },
      },
    ])
    const path = `/projects/${project.id}/deployments/${made.body.id}`
    for (const status of ['running', 'success']) {
      expect((await developer().put(path, { status })).status).toBe(400)
    }
    const first = await say(licensed(project.maintainer), path, 'approved', { comment: 'Looks good' })
    const approval = {
      user: expect.objectContaining({ id: project.maintainer.id, username: project.maintainer.username }),
      status: 'approved',
      created_at: expect.stringMatching(/Z$/),
      comment: 'Looks good',
    }
    expect([first.status, first.body]).toEqual([201, approval])
    expect(await stateOf(developer(), path)).toEqual(['blocked', 2])
    await say(owner(), path)
    await say(licensed(project.maintainer), path, 'approved', { represented_as: 'Maintainers' })
    const { body } = await developer().get(path)
    expect([body.status, body.pending_approval_count, body.approvals]).toEqual([
      'created',
      0,
      [
        approval,
        expect.objectContaining({ status: 'approved', comment: null }),
        expect.objectContaining({ user: expect.objectContaining({ id: project.maintainer.id }) }),
      ],
    ])
    expect(
      body.approval_summary.rules.map(
        (one: { deployment_approvals: object[] }) => one.deployment_approvals.length,
      ),
    ).toEqual([1, 2])
    expect((await developer().put(path, { status: 'running' })).body.status).toBe('running')
    expect((await developer().put(path, { status: 'success' })).body.status).toBe('success')
    expect(await say(owner(), path)).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - the deployment does not wait for approvals' },
    })
  })

  test('needs the approvals of the groups above as well', async () => {
    await protect(keeperOf(group), pathOf('group', group), {
      name: 'development',
      deploy_access_levels: everybody,
      approval_rules: [{ user_id: group.maintainer.id }],
    })
    await protect(keeperOf(project), pathOf('project', project), {
      name: 'dev',
      deploy_access_levels: everybody,
      approval_rules: [{ access_level: 40 }],
    })
    const path = await deployed(licensed(group.developer), project, 'dev')
    expect(await stateOf(owner(), path)).toEqual(['blocked', 2])
    await say(owner(), path)
    expect(await stateOf(owner(), path)).toEqual(['blocked', 1])
    expect((await say(licensed(group.maintainer), path)).status).toBe(201)
    expect(await stateOf(owner(), path)).toEqual(['created', 0])
  })

  test('needs as many of those who may deploy as `required_approval_count` says, where there are no rules', async () => {
    const name = await guarded([], { required_approval_count: 2 })
    const path = await deployed(developer(), project, name)
    expect((await developer().get(path)).body.approval_summary.rules).toEqual([
      {
        user_id: null,
        group_id: null,
        access_level: null,
        access_level_description: 'Those who may deploy',
        required_approvals: 2,
        deployment_approvals: [],
      },
    ])
    expect((await say(licensed(project.reporter), path)).status).toBe(403)
    await say(owner(), path)
    await say(owner(), path)
    expect(await stateOf(owner(), path)).toEqual(['blocked', 1])
    await say(licensed(group.developer), path)
    expect(await stateOf(owner(), path)).toEqual(['created', 0])
  })

  test('is approved by those whom a rule means, and nobody else', async () => {
    const name = await guarded([{ access_level: 40 }])
    const path = await deployed(developer(), project, name)
    const refused = async (by: Actor) => {
      const { status, body } = await say(licensed(by), path)
      return [status, body.message]
    }
    const forbidden = [403, '403 Forbidden - you may not approve or reject this deployment']
    expect(await refused(project.reporter)).toEqual(forbidden)
    expect(await refused(project.developer)).toEqual(forbidden)
    expect(await refused(project.guest)).toEqual([403, '403 Forbidden'])
    expect(await refused(project.stranger)).toEqual([404, '404 Project Not Found'])
    expect((await say(w.anonymous, path)).status).toBe(401)
    expect((await say(owner(), `/projects/${project.id}/deployments/99999999`)).status).toBe(404)
    expect((await say(project.owner, path)).body.message).toBe(
      '403 Forbidden - Protected environments needs premium',
    )
    const said = async (json: object) => (await owner().post(`${path}/approval`, json)).body.message
    expect(await said({})).toBe('400 (Bad request) "status" not given')
    expect(await said({ status: 'maybe' })).toEqual({ status: ['does not have a valid value'] })
    expect(await said({ status: 'approved', comment: 'x'.repeat(256) })).toMatchObject({
      comment: [expect.any(String)],
    })
    expect(await said({ status: 'approved', represented_as: 'Nobody' })).toEqual({
      represented_as: ['is no approval rule that means you'],
    })
    expect(await stateOf(owner(), path)).toEqual(['blocked', 1])
    expect((await say(licensed(w.root), path)).status).toBe(201)
  })

  test('is not approved by those who deployed it, unless the project lets them', async () => {
    const name = await guarded([{ access_level: 40 }])
    const path = await deployed(owner(), project, name)
    const { status, body } = await say(owner(), path)
    expect([status, body.message]).toEqual([403, '403 Forbidden - you may not approve your own deployment'])
    const allow = async (allow_pipeline_trigger_approve_deployment: boolean) =>
      expect(
        (await project.owner.put(`/projects/${project.id}`, { allow_pipeline_trigger_approve_deployment }))
          .status,
      ).toBe(200)
    await allow(true)
    expect((await say(owner(), path)).status).toBe(201)
    await allow(false)
    expect(await stateOf(owner(), path)).toEqual(['created', 0])
    // They may give it up.
    const other = await deployed(owner(), project, name)
    expect((await say(owner(), other, 'rejected')).status).toBe(201)
    expect(await stateOf(owner(), other)).toEqual(['failed', 0])
  })

  test('says with `with_permissions` what one may decide', async () => {
    const name = await guarded([{ access_level: 40 }, { user_id: project.maintainer.id }])
    const path = await deployed(owner(), project, name)
    const asked = async (by: Actor) =>
      (await licensed(by).get(`${path}?with_permissions=true`)).body.user_permissions
    const nothing = { approve: false, reject: false, represented_as: [] }
    expect(await asked(project.maintainer)).toEqual({
      approve: true,
      reject: true,
      represented_as: ['Maintainers', project.maintainer.username],
    })
    // It is the owner's own deployment.
    expect(await asked(project.owner)).toEqual({
      approve: false,
      reject: true,
      represented_as: ['Maintainers'],
    })
    expect(await asked(project.developer)).toEqual(nothing)
    const { body } = await owner().get(`/projects/${project.id}/deployments?with_permissions=true&sort=desc`)
    expect(body[0].user_permissions).toEqual({
      approve: false,
      reject: true,
      represented_as: ['Maintainers'],
    })
    expect((await owner().get(path)).body).not.toHaveProperty('user_permissions')
    const free = await deployed(developer(), project, 'unguarded')
    expect((await developer().get(`${free}?with_permissions=true`)).body.user_permissions).toEqual(nothing)
  })

  test('ends with a rejection, also by somebody who has approved', async () => {
    const name = await guarded([{ access_level: 40, required_approvals: 2 }])
    const path = await deployed(developer(), project, name)
    await say(owner(), path)
    const { body } = await say(owner(), path, 'rejected', { comment: 'Too late' })
    expect(body).toMatchObject({ status: 'rejected', comment: 'Too late' })
    expect(await stateOf(developer(), path)).toEqual(['failed', 0])
    expect((await developer().get(path)).body.approvals).toEqual([body])
    expect((await say(licensed(project.maintainer), path)).status).toBe(400)
    expect((await developer().put(path, { status: 'running' })).status).toBe(400)
  })

  test('is approved for one name at a time', async () => {
    const invited = await w.group()
    await w.root.post(`/projects/${project.id}/share`, { group_id: invited.id, group_access: 40 })
    const name = await guarded([{ group_id: invited.id }, { access_level: 40 }])
    const path = await deployed(developer(), project, name)
    await say(licensed(invited.maintainer), path)
    await say(licensed(invited.maintainer), path)
    expect(await stateOf(owner(), path)).toEqual(['blocked', 1])
    await say(licensed(invited.maintainer), path, 'approved', { represented_as: 'Maintainers' })
    expect(await stateOf(owner(), path)).toEqual(['created', 0])
  })

  test('goes on when what protects it asks for less, or is gone', async () => {
    const name = await guarded([{ access_level: 60 }])
    const path = await deployed(developer(), project, name)
    expect((await developer().put(path, { status: 'running' })).status).toBe(400)
    const single = pathOf('project', project, name)
    const [{ id }] = (await keeperOf(project).get(single)).body.approval_rules
    await keeperOf(project).put(single, { approval_rules: [{ id, _destroy: true }] })
    expect(await stateOf(developer(), path)).toEqual(['blocked', 0])
    const { body } = await developer().put(path, { status: 'running' })
    expect(body).toMatchObject({ status: 'running', approval_summary: { rules: [] } })
  })

  test('is told of in audit events, and by facts', async () => {
    const name = await guarded([{ access_level: 40, required_approvals: 2 }])
    const before = (await factsOf(project.namespaceId)).length
    const path = await deployed(developer(), project, name)
    await say(owner(), path)
    await say(licensed(project.maintainer), path)
    const other = await deployed(developer(), project, name)
    await say(owner(), other, 'rejected')
    expect((await factsOf(project.namespaceId)).slice(before)).toEqual([
      'environment created',
      'deployment created',
      'deployment approved',
      'deployment approved',
      'deployment status changed',
      'deployment created',
      'deployment rejected',
      'deployment status changed',
    ])
    const { body } = await owner().get(`/projects/${project.id}/audit_events?per_page=3`)
    expect(body.map(({ event_name }: { event_name: string }) => event_name)).toEqual([
      'deployment_rejected',
      'deployment_approved',
      'deployment_approved',
    ])
    expect(body[0].details).toMatchObject({ target_type: 'Deployment', target_details: name })
  })
})

describe('an approval counts no more', () => {
  /** A deployment that two must approve for a rule, and one has. */
  async function half(rule: object, approver: { by: ReturnType<typeof licensed> }) {
    const path = await deployed(developer(), project, await guarded([{ ...rule, required_approvals: 2 }]))
    expect((await say(approver.by, path)).status).toBe(201)
    expect(await stateOf(owner(), path)).toEqual(['blocked', 1])
    return path
  }

  test.each<readonly [string, (user: { id: number }) => Promise<unknown>]>([
    ['leaves the project', ({ id }) => w.root.delete(`/projects/${project.id}/members/${id}`)],
    ['loses the role', ({ id }) => w.root.put(`/projects/${project.id}/members/${id}`, { access_level: 30 })],
    ['is blocked', ({ id }) => w.root.post(`/users/${id}/block`)],
    ['is deleted', ({ id }) => w.root.delete(`/users/${id}`)],
    [
      'was a member until yesterday',
      ({ id }) =>
        w.db.updateTable('members').set({ expires_at: '2001-01-01' }).where('user_id', '=', id).execute(),
    ],
  ])('when whoever gave it %s', async (_, lose) => {
    const approver = await joined(project.namespaceId, 40)
    const path = await half({ access_level: 40 }, approver)
    await lose(approver)
    expect(await stateOf(owner(), path)).toEqual(['blocked', 2])
    await say(owner(), path)
    expect(await stateOf(owner(), path)).toEqual(['blocked', 1])
    await say(licensed(project.maintainer), path)
    expect(await stateOf(owner(), path)).toEqual(['created', 0])
  })

  test('when whoever gave it leaves the group of the rule, or the group is no longer invited', async () => {
    const invited = await w.group()
    await w.root.post(`/projects/${project.id}/share`, { group_id: invited.id, group_access: 40 })
    const path = await half({ group_id: invited.id }, licensedActor(invited.maintainer))
    await say(licensed(invited.developer), path, 'approved')
    const again = await half({ group_id: invited.id }, licensedActor(invited.maintainer))
    await w.root.delete(`/groups/${invited.id}/members/${invited.maintainer.id}`)
    expect([await stateOf(owner(), path), await stateOf(owner(), again)]).toEqual([
      ['created', 0],
      ['blocked', 2],
    ])
    await say(licensed(invited.owner), again)
    expect(await stateOf(owner(), again)).toEqual(['blocked', 1])
    await w.root.delete(`/projects/${project.id}/share/${invited.id}`)
    expect(await stateOf(owner(), again)).toEqual(['blocked', 2])
  })

  test('but it stays in the list, and counts again with the role', async () => {
    const approver = await joined(project.namespaceId, 40)
    const path = await half({ user_id: approver.id }, approver).catch(() => undefined)
    expect(path).toBeDefined()
    const give = (access_level: number) =>
      w.root.put(`/projects/${project.id}/members/${approver.id}`, { access_level })
    await give(10)
    const { body } = await owner().get(path ?? '')
    expect([body.pending_approval_count, body.approvals.length]).toEqual([2, 1])
    expect(body.approval_summary.rules[0].deployment_approvals).toEqual([])
    await give(20)
    expect(await stateOf(owner(), path ?? '')).toEqual(['blocked', 1])
  })
})

describe('who reads about approvals', () => {
  test('sees the name of a private group only as somebody who may see the group', async () => {
    const open = await w.project({ visibility: 'public' })
    await giveSample(open)
    const secret = await w.group()
    await w.root.post(`/projects/${open.id}/share`, { group_id: secret.id, group_access: 40 })
    await protect(keeperOf(open), pathOf('project', open), {
      name: 'production',
      deploy_access_levels: everybody,
      approval_rules: [{ group_id: secret.id }],
    })
    const path = await deployed(licensed(open.developer), open, 'production')
    const told = async (by: ReturnType<typeof licensed>) => {
      const [rule] = (await by.get(path)).body.approval_summary.rules
      return [rule.group_id, rule.access_level_description]
    }
    const name = secret.fullPath
    expect(await told(licensed(secret.guest))).toEqual([secret.id, name])
    expect(await told(licensed(open.stranger))).toEqual([null, 'A group'])
    const text = (await licensed(open.stranger).get(`/projects/${open.id}/deployments`)).text
    expect(text).not.toContain(name)
    expect((await licensed(open.stranger).get(pathOf('project', open))).status).toBe(403)
    expect((await say(licensed(open.stranger), path)).status).toBe(403)
  })
})
