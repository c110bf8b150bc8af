import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { joined, licensed, opened } from './test-support.ts'

type Opened = Awaited<ReturnType<typeof opened>>

const rule = { name: 'Security', approvals_required: 1 }

async function added(p: Opened, wanted: object = {}) {
  const { status, body, text } = await p.as.owner.post(p.rules, { ...rule, ...wanted })
  if (status !== 201) throw new Error(text)
  return body
}

const status = async (p: Opened) => (await p.as.owner.get(p.path)).body.detailed_merge_status

describe('rules of a project', () => {
  test('have every field', async () => {
    const p = await opened()
    const { body: branch } = await p.owner.post(`/projects/${p.id}/protected_branches`, { name: 'ma*' })
    const made = await added(p, {
      user_ids: [p.maintainer.id, (await w.user()).id],
      usernames: [p.owner.username],
      protected_branch_ids: [branch.id],
    })
    expect(made).toMatchObject({
      id: expect.any(Number),
      name: 'Security',
      rule_type: 'regular',
      report_type: null,
      approvals_required: 1,
      groups: [],
      contains_hidden_groups: false,
      protected_branches: [{ id: branch.id, name: 'ma*' }],
      applies_to_all_protected_branches: false,
    })
    const ids = (all: { id: number }[]) => new Set(all.map(({ id }) => id))
    expect(ids(made.users)).toEqual(new Set([p.maintainer.id, p.owner.id]))
    expect(ids(made.eligible_approvers)).toEqual(ids(made.users))
    expect((await p.as.reporter.get(`${p.rules}/${made.id}`)).body).toEqual(made)
    const list = await p.as.reporter.get(p.rules)
    expect([list.body, list.headers.get('x-total')]).toEqual([[made], '1'])
  })

  test('are changed and deleted by maintainers', async () => {
    const p = await opened()
    const { id } = await added(p, { user_ids: [p.maintainer.id] })
    const path = `${p.rules}/${id}`
    const changes = { name: 'Safety', approvals_required: 2, user_ids: [p.owner.id] }
    expect((await p.as.developer.put(path, changes)).status).toBe(403)
    const { status, body } = await p.as.maintainer.put(path, changes)
    expect([status, body]).toMatchObject([200, { ...rule, name: 'Safety', approvals_required: 2 }])
    expect(body.users.map((user: { id: number }) => user.id)).toEqual([p.owner.id])
    expect((await p.as.developer.delete(path)).status).toBe(403)
    expect((await p.as.maintainer.delete(path)).status).toBe(204)
    expect((await p.as.maintainer.get(path)).status).toBe(404)
  })

  test('refuse a name that is taken, a second one for everybody, and impossible numbers', async () => {
    const p = await opened()
    await added(p, { rule_type: 'any_approver' })
    const refused = async (wanted: object) => (await p.as.owner.post(p.rules, { ...rule, ...wanted })).status
    expect(await refused({})).toBe(400)
    const second = await p.as.owner.post(p.rules, { ...rule, name: 'x', rule_type: 'any_approver' })
    const taken = { rule_type: ['any-approver for the project already exists'] }
    expect([second.status, second.body]).toEqual([400, { message: taken }])
    expect(await refused({ name: 'x' })).toBe(400)
    expect(await refused({ name: ' ' })).toBe(400)
    expect(await refused({ name: 'x', approvals_required: -1 })).toBe(400)
    expect(await refused({ name: 'x', approvals_required: 101 })).toBe(400)
    expect((await p.as.owner.post(p.rules, { name: 'x' })).status).toBe(400)
  })

  test('of another project are not found', async () => {
    const [p, other] = [await opened(), await opened()]
    const { id } = await added(other)
    expect((await p.as.owner.get(`${p.rules}/${id}`)).status).toBe(404)
    expect((await p.as.owner.put(`${p.rules}/${id}`, { name: 'x' })).status).toBe(404)
    expect((await p.as.owner.delete(`${p.rules}/${id}`)).status).toBe(404)
  })

  test('show no groups, nor their members, to those who may not see them', async () => {
    const p = await opened()
    const hidden = await w.group()
    await w.member(hidden.id, p.owner, 50)
    const made = await added(p, { group_ids: [hidden.id] })
    expect(made).toMatchObject({ groups: [{ id: hidden.id }], contains_hidden_groups: false })
    expect(made.eligible_approvers.length).toBeGreaterThan(0)
    const { body } = await p.as.maintainer.get(`${p.rules}/${made.id}`)
    expect(body).toMatchObject({ groups: [], contains_hidden_groups: true, eligible_approvers: [] })
    expect((await p.as.maintainer.put(`${p.rules}/${made.id}`, { group_ids: [] })).status).toBe(200)
    expect((await p.as.owner.get(`${p.rules}/${made.id}`)).body.groups).toHaveLength(1)
    await p.as.maintainer.put(`${p.rules}/${made.id}`, { remove_hidden_groups: true })
    expect((await p.as.owner.get(`${p.rules}/${made.id}`)).body.groups).toEqual([])
  })
})

describe('a rule', () => {
  test('counts those whom it names, also reporters, and nobody else', async () => {
    const p = await opened()
    await added(p, { user_ids: [p.reporter.id] })
    expect(await status(p)).toBe('not_approved')
    await p.as.owner.post(`${p.path}/approve`)
    expect(await status(p)).toBe('not_approved')
    const { body } = await p.as.reporter.get(`${p.path}/approvals`)
    expect(body).toMatchObject({
      approved: false,
      approvals_required: 1,
      approvals_left: 1,
      user_can_approve: true,
      has_approval_rules: true,
      approval_rules_left: [{ name: 'Security', rule_type: 'regular' }],
      suggested_approvers: [{ id: p.reporter.id }],
    })
    expect((await p.as.reporter.post(`${p.path}/approve`)).body).toMatchObject({
      approved: true,
      approvals_left: 0,
      approval_rules_left: [],
    })
    expect(await status(p)).toBe('mergeable')
  })

  test('counts the members of a group', async () => {
    const p = await opened()
    const group = await w.group()
    await w.member(group.id, p.owner, 50)
    await w.member(group.id, p.maintainer, 30)
    await added(p, { group_ids: [group.id] })
    const other = await joined(p)
    await licensed(other).post(`${p.path}/approve`)
    expect(await status(p)).toBe('not_approved')
    await p.as.maintainer.post(`${p.path}/approve`)
    expect(await status(p)).toBe('mergeable')
  })

  test('for everybody counts all approvals', async () => {
    const p = await opened()
    await added(p, { rule_type: 'any_approver', approvals_required: 2 })
    await p.as.owner.post(`${p.path}/approve`)
    expect(await status(p)).toBe('not_approved')
    await p.as.maintainer.post(`${p.path}/approve`)
    expect(await status(p)).toBe('mergeable')
  })

  test('that names nobody counts all approvals, whatever it is called', async () => {
    const p = await opened()
    const made = await added(p)
    expect(made).toMatchObject({ name: 'Security', rule_type: 'any_approver', users: [], groups: [] })
    expect(await status(p)).toBe('not_approved')
    await p.as.owner.post(`${p.path}/approve`)
    expect(await status(p)).toBe('mergeable')
    const named = await added(p, { name: 'x', user_ids: [p.owner.id] })
    const group = await added(p, { name: 'y', group_ids: [(await w.group()).id] })
    expect([named.rule_type, group.rule_type]).toEqual(['regular', 'regular'])
    const own = await p.as.developer.post(`${p.path}/approval_rules`, { ...rule, approvals_required: 3 })
    expect([own.status, own.body.rule_type]).toEqual([201, 'any_approver'])
  })

  test("that nobody can meet is in nobody's way", async () => {
    const p = await opened()
    const { id } = await added(p, { rule_type: 'regular' })
    const only = async (...user_ids: number[]) => {
      await p.as.owner.put(`${p.rules}/${id}`, { user_ids })
      return status(p)
    }
    expect(await status(p)).toBe('mergeable')
    const { body } = await p.as.owner.get(`${p.path}/approvals`)
    expect(body).toMatchObject({
      approved: true,
      approvals_left: 0,
      approval_rules_left: [],
      invalid_approvers_rules: [{ id, name: 'Security', rule_type: 'regular' }],
    })
    expect((await p.as.owner.get(`${p.path}/approval_state`)).body.rules).toMatchObject([{ approved: true }])
    // The author of the merge request may not approve it.
    expect(await only(p.developer.id)).toBe('mergeable')
    expect(await only(p.developer.id, p.owner.id)).toBe('not_approved')
    await p.as.owner.post(p.settings, { merge_requests_author_approval: true })
    expect(await only(p.developer.id)).toBe('not_approved')
    await w.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', p.developer.id).execute()
    expect(await status(p)).toBe('mergeable')
  })

  test('demands as many approvals as there are people to give them', async () => {
    const p = await opened()
    await added(p, { user_ids: [p.owner.id], approvals_required: 2 })
    expect(await status(p)).toBe('not_approved')
    expect((await p.as.owner.get(`${p.path}/approvals`)).body).toMatchObject({
      approvals_required: 2,
      approvals_left: 1,
    })
    expect((await p.as.owner.get(`/projects/${p.id}/merge_requests?approved=yes`)).body).toEqual([])
    await p.as.owner.post(`${p.path}/approve`)
    expect(await status(p)).toBe('mergeable')
    expect((await p.as.owner.get(`/projects/${p.id}/merge_requests?approved=yes`)).body).toHaveLength(1)
  })

  test('still counts those who have committed: anybody can write their address into a commit', async () => {
    const p = await opened()
    await p.as.owner.post(p.settings, { merge_requests_disable_committers_approval: true })
    await added(p, { user_ids: [p.owner.id] })
    const { body: owner } = await p.owner.get('/user')
    const author = { author_name: 'x', author_email: owner.email }
    const actions = [{ action: 'create', file_path: 'forged', content: '' }]
    const wanted = { branch: 'feature', commit_message: 'x', actions, ...author }
    expect((await p.owner.post(`/projects/${p.id}/repository/commits`, wanted)).status).toBe(201)
    expect((await p.as.owner.post(`${p.path}/approve`)).status).toBe(401)
    expect((await p.as.owner.get(`${p.path}/approvals`)).body).toMatchObject({
      approved: false,
      approvals_left: 1,
    })
  })

  test('is about some branches, or about all protected ones', async () => {
    const p = await opened()
    const protect = async (name: string) =>
      (await p.owner.post(`/projects/${p.id}/protected_branches`, { name })).body.id
    const { id } = await added(p, { protected_branch_ids: [await protect('release-*')] })
    expect(await status(p)).toBe('mergeable')
    await p.as.owner.put(`${p.rules}/${id}`, { protected_branch_ids: [await protect('ma*n')] })
    expect(await status(p)).toBe('not_approved')
    await p.as.owner.put(`${p.rules}/${id}`, { protected_branch_ids: [await protect('m_in')] })
    expect(await status(p)).toBe('mergeable')
    await p.as.owner.put(`${p.rules}/${id}`, { applies_to_all_protected_branches: true })
    expect(await status(p)).toBe('not_approved')
  })

  test('counts for nothing without the plan', async () => {
    const p = await opened()
    await added(p)
    expect(await status(p)).toBe('not_approved')
    expect((await p.owner.get(p.path)).body.detailed_merge_status).toBe('mergeable')
    expect((await p.owner.get(`${p.path}/approvals`)).body).toMatchObject({
      approved: true,
      has_approval_rules: false,
    })
  })
})

describe('rules of a merge request', () => {
  test('stand in for those of the project', async () => {
    const p = await opened()
    const { id } = await added(p, { user_ids: [p.maintainer.id] })
    const path = `${p.path}/approval_rules`
    const inherited = await p.as.reporter.get(path)
    expect(inherited.body).toMatchObject([
      { id, name: 'Security', section: null, source_rule: null, overridden: false },
    ])
    expect((await p.as.developer.put(`${path}/${id}`, { approvals_required: 0 })).status).toBe(403)
    const copy = { name: 'x', approvals_required: 2, approval_project_rule_id: id }
    const made = await p.as.developer.post(path, copy)
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        name: 'Security',
        approvals_required: 2,
        users: [{ id: p.maintainer.id }],
        source_rule: { approvals_required: 1 },
        overridden: true,
      },
    ])
    expect((await p.as.reporter.get(path)).body).toMatchObject([{ id: made.body.id }])
    expect(await status(p)).toBe('not_approved')
    expect((await p.as.reporter.get(`${p.path}/approval_state`)).body).toMatchObject({
      approval_rules_overwritten: true,
      rules: [{ id: made.body.id, code_owner: false, approved: false, approved_by: [] }],
    })
    const own = `${path}/${made.body.id}`
    expect((await p.as.developer.put(own, { approvals_required: 1 })).body.overridden).toBe(false)
    expect(await status(p)).toBe('not_approved')
    expect((await p.as.reporter.delete(own)).status).toBe(403)
    expect((await p.as.developer.delete(own)).status).toBe(204)
    expect((await p.as.reporter.get(`${p.path}/approval_state`)).body.approval_rules_overwritten).toBe(false)
  })

  test('that only their author could meet are not met, and nobody merges', async () => {
    const p = await opened()
    const { id } = await added(p, { user_ids: [p.maintainer.id] })
    const path = `${p.path}/approval_rules`
    const closed = async () => {
      expect(await status(p)).toBe('not_approved')
      expect((await p.as.owner.put(`${p.path}/merge`)).status).toBe(405)
      expect((await p.as.developer.get(`${p.path}/approvals`)).body.approved).toBe(false)
    }
    const own = { name: 'Mine', approvals_required: 1, user_ids: [p.developer.id] }
    const made = await p.as.developer.post(path, own)
    expect(made.status).toBe(201)
    await closed()
    // Approvals of others do not meet it.
    await p.as.maintainer.post(`${p.path}/approve`)
    await closed()
    expect((await p.as.developer.delete(`${path}/${made.body.id}`)).status).toBe(204)
    await p.as.maintainer.post(`${p.path}/unapprove`)
    const copy = { name: 'x', approvals_required: 1, approval_project_rule_id: id }
    const copied = await p.as.developer.post(path, copy)
    await p.as.developer.put(`${path}/${copied.body.id}`, { user_ids: [p.developer.id] })
    await closed()
  })

  test('demand no fewer approvals than the project', async () => {
    const p = await opened()
    const { id } = await added(p, { user_ids: [p.maintainer.id] })
    await added(p, { name: 'Everybody', approvals_required: 1 })
    // Nobody can meet this one, so it demands nothing.
    await added(p, { name: 'Nobody', rule_type: 'regular', approvals_required: 5 })
    const path = `${p.path}/approval_rules`
    const post = async (wanted: object) => {
      const { status: answered, body } = await p.as.developer.post(path, { name: 'Own', ...wanted })
      return [answered, body.message ?? body.id]
    }
    const few = [400, expect.stringContaining('must demand at least 2 approvals, as the project does')]
    expect(await post({ approvals_required: 0 })).toEqual(few)
    expect(await post({ approvals_required: 1, user_ids: [p.developer.id] })).toEqual(few)
    expect(await post({ approvals_required: 0, approval_project_rule_id: id })).toEqual([
      400,
      expect.stringContaining('approvals_required must be at least 1, as in the rule of the project'),
    ])
    expect((await p.as.developer.get(`${p.path}/approval_state`)).body.approval_rules_overwritten).toBe(false)
    const [made, own] = await post({ approvals_required: 2 })
    expect(made).toBe(201)
    expect((await p.as.developer.put(`${path}/${own}`, { approvals_required: 1 })).status).toBe(400)
    expect((await p.as.developer.put(`${path}/${own}`, { name: 'Other' })).status).toBe(200)
  })

  test('need as many approvals as the project demands, whatever they say', async () => {
    const p = await opened()
    const { id } = await added(p, { user_ids: [p.maintainer.id] })
    await added(p, { name: 'Everybody', approvals_required: 1 })
    const copy = { name: 'x', approvals_required: 1, approval_project_rule_id: id }
    expect((await p.as.developer.post(`${p.path}/approval_rules`, copy)).status).toBe(201)
    await p.as.maintainer.post(`${p.path}/approve`)
    expect(await status(p)).toBe('not_approved')
    expect((await p.as.owner.get(`${p.path}/approvals`)).body).toMatchObject({
      approvals_required: 2,
      approvals_left: 1,
    })
    await p.as.owner.post(`${p.path}/approve`)
    expect(await status(p)).toBe('mergeable')
  })

  test('are refused where the project keeps its rules for all', async () => {
    const p = await opened()
    await p.as.owner.post(p.settings, { disable_overriding_approvers_per_merge_request: true })
    expect((await p.as.owner.post(`${p.path}/approval_rules`, rule)).status).toBe(403)
  })

  test('of another merge request are not found', async () => {
    const [p, other] = [await opened(), await opened()]
    const { body } = await other.as.owner.post(`${other.path}/approval_rules`, rule)
    expect((await p.as.owner.get(`${p.path}/approval_rules/${body.id}`)).status).toBe(404)
  })
})

test('approvals_before_merge and POST /approvals are the older ways', async () => {
  const p = await opened()
  const { status: answered, body } = await p.as.developer.post(`${p.path}/approvals`, {
    approvals_required: 1,
  })
  expect([answered, body]).toMatchObject([201, { approvals_required: 1, approvals_left: 1, approved: false }])
  expect((await p.as.owner.get(p.path)).body).toMatchObject({
    approvals_before_merge: 1,
    detailed_merge_status: 'not_approved',
  })
  await p.as.owner.post(`${p.path}/approve`)
  expect(await status(p)).toBe('mergeable')
})

test('the older number of a merge request does not lower that of the project', async () => {
  const p = await opened()
  await p.as.owner.post(p.settings, { approvals_before_merge: 1 })
  await p.as.developer.post(`${p.path}/approvals`, { approvals_required: 0 })
  expect(await status(p)).toBe('not_approved')
  expect((await p.as.owner.put(`${p.path}/merge`)).status).toBe(405)
})

test('nobody merges what lacks approvals, or has threads that the project wants resolved', async () => {
  const p = await opened()
  const { id } = await added(p, { user_ids: [p.maintainer.id] })
  const merge = async () => (await p.as.owner.put(`${p.path}/merge`)).status
  expect(await merge()).toBe(405)
  await p.as.maintainer.post(`${p.path}/approve`)
  await p.owner.put(`/projects/${p.id}`, { only_allow_merge_if_all_discussions_are_resolved: true })
  const { body: thread } = await p.developer.post(`${p.path}/discussions`, { body: 'Well?' })
  expect(await merge()).toBe(405)
  await p.developer.put(`${p.path}/discussions/${thread.id}`, { resolved: true })
  expect(await merge()).toBe(200)
  expect((await p.as.owner.get(`${p.rules}/${id}`)).status).toBe(200)
})
