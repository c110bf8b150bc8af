import { describe, expect, test } from 'vitest'
import { bodies } from '#planning/notes/test-support.ts'
import { w } from '#test/world.ts'
import { joined, licensed, opened } from './test-support.ts'

const usernames = (all: { user: { username: string } }[]) => all.map(({ user }) => user.username)

describe('approving', () => {
  test('answers with every field, and says so', async () => {
    const p = await opened()
    w.clock.hold('2030-01-01T00:00:00.000Z')
    const { status, body } = await p.as.maintainer.post(`${p.path}/approve`)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: p.body.id,
      iid: 1,
      project_id: p.id,
      title: 'Say it aloud',
      state: 'opened',
      approved: true,
      approvals_required: 0,
      approvals_left: 0,
      require_password_to_approve: false,
      require_reauthentication_to_approve: false,
      approved_by: [{ user: { id: p.maintainer.id }, approved_at: '2030-01-01T00:00:00.000Z' }],
      suggested_approvers: [],
      approvers: [],
      approver_groups: [],
      approval_groups: [],
      user_has_approved: true,
      user_can_approve: false,
      approval_rules_left: [],
      has_approval_rules: false,
      merge_request_approvers_available: true,
      multiple_approval_rules_available: true,
      invalid_approvers_rules: [],
    })
    expect((await p.as.maintainer.get(`${p.path}/approvals`)).body).toEqual(body)
    expect(bodies(await p.owner.get(`${p.path}/notes`))).toContain('approved this merge request')
  })

  test('is refused with 401 a second time, to those who may not, and of what one wrote', async () => {
    const p = await opened()
    const status = async (who: typeof p.owner | typeof p.as.owner) =>
      (await who.post(`${p.path}/approve`)).status
    expect(await status(p.as.owner)).toBe(201)
    expect(await status(p.as.owner)).toBe(401)
    expect(await status(p.as.reporter)).toBe(401)
    expect(await status(p.as.developer)).toBe(401)
    expect((await p.as.reporter.get(`${p.path}/approvals`)).body).toMatchObject({
      user_has_approved: false,
      user_can_approve: false,
    })
    expect((await p.as.maintainer.get(`${p.path}/approvals`)).body.user_can_approve).toBe(true)
    await p.developer.put(p.path, { state_event: 'close' })
    expect(await status(p.as.maintainer)).toBe(401)
  })

  test('needs no plan, and then authors may approve, too', async () => {
    const p = await opened()
    const { status, body } = await p.developer.post(`${p.path}/approve`)
    expect([status, body.approved, body.merge_request_approvers_available]).toEqual([201, true, false])
    expect((await p.owner.get(p.settings)).body.message).toBe('403 Forbidden - Approval rules needs premium')
  })

  test('with the sha of another commit is 409', async () => {
    const p = await opened()
    const { sha } = p.body
    const stale = await p.as.owner.post(`${p.path}/approve`, { sha: 'a'.repeat(40) })
    expect([stale.status, stale.body]).toEqual([
      409,
      { message: `SHA does not match HEAD of source branch: ${sha}` },
    ])
    expect((await p.as.owner.post(`${p.path}/approve`, { sha })).status).toBe(201)
  })

  test('50 at once are counted once each', async () => {
    const p = await opened()
    const people = await Promise.all(Array.from({ length: 10 }, () => joined(p)))
    const answers = await Promise.all(
      people.flatMap((who) => Array.from({ length: 5 }, () => who.post(`${p.path}/approve`))),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(10)
    expect(statuses.filter((status) => status === 401)).toHaveLength(40)
    const { body } = await p.as.owner.get(`${p.path}/approvals`)
    expect(new Set(usernames(body.approved_by))).toEqual(new Set(people.map(({ username }) => username)))
    const notes = bodies(await p.owner.get(`${p.path}/notes?per_page=100`))
    expect(notes.filter((text) => text === 'approved this merge request')).toHaveLength(10)
  })

  test('can be taken back, once', async () => {
    const p = await opened()
    await p.as.owner.post(`${p.path}/approve`)
    const { status, body } = await p.as.owner.post(`${p.path}/unapprove`)
    expect([status, body.approved_by, body.user_can_approve]).toEqual([201, [], true])
    expect((await p.as.owner.post(`${p.path}/unapprove`)).status).toBe(404)
    expect(bodies(await p.owner.get(`${p.path}/notes`))).toContain('unapproved this merge request')
  })

  test('changes the state of a reviewer', async () => {
    const p = await opened()
    await p.developer.put(p.path, { reviewer_ids: [p.maintainer.id] })
    const state = async () =>
      (
        await w.db
          .selectFrom('merge_request_reviewers')
          .select('state')
          .where('merge_request_id', '=', p.body.id)
          .executeTakeFirst()
      )?.state
    await p.as.maintainer.post(`${p.path}/approve`)
    expect(await state()).toBe('approved')
    await p.as.maintainer.post(`${p.path}/unapprove`)
    expect(await state()).toBe('unapproved')
  })
})

describe('settings', () => {
  test('are shown with their defaults, and changed by maintainers', async () => {
    const p = await opened()
    const standard = {
      approvers: [],
      approver_groups: [],
      approvals_before_merge: 0,
      reset_approvals_on_push: true,
      selective_code_owner_removals: false,
      disable_overriding_approvers_per_merge_request: false,
      merge_requests_author_approval: false,
      merge_requests_disable_committers_approval: false,
      require_password_to_approve: false,
      require_reauthentication_to_approve: false,
    }
    expect((await p.as.reporter.get(p.settings)).body).toEqual(standard)
    const wanted = {
      approvals_before_merge: 2,
      reset_approvals_on_push: false,
      selective_code_owner_removals: true,
      disable_overriding_approvers_per_merge_request: true,
      merge_requests_author_approval: true,
      merge_requests_disable_committers_approval: true,
    }
    const changed = await p.as.maintainer.post(p.settings, wanted)
    expect([changed.status, changed.body]).toEqual([201, { ...standard, ...wanted }])
    expect((await p.as.owner.get(p.settings)).body).toEqual(changed.body)
    expect((await p.as.developer.post(p.settings, wanted)).status).toBe(403)
    expect((await p.as.owner.post(p.settings, {})).status).toBe(400)
    expect((await p.owner.get(`/projects/${p.id}`)).body.approvals_before_merge).toBe(2)
  })

  test('require_reauthentication_to_approve wins over require_password_to_approve', async () => {
    const p = await opened()
    const set = async (wanted: object) => (await p.as.owner.post(p.settings, wanted)).body
    const [password, again] = ['require_password_to_approve', 'require_reauthentication_to_approve']
    expect(await set({ [password]: true })).toMatchObject({ [password]: true, [again]: true })
    expect(await set({ [password]: true, [again]: false })).toMatchObject({
      [password]: false,
      [again]: false,
    })
    expect(await set({ [password]: false, [again]: true })).toMatchObject({ [password]: true, [again]: true })
  })

  test('may demand the password', async () => {
    const p = await opened()
    const { body: known } = await w.root.post('/users', {
      email: `known-${p.id}@example.com`,
      username: `known-${p.id}`,
      name: 'Known',
      password: 'correct horse battery',
      skip_confirmation: true,
    })
    await w.member(p.namespaceId, known, 30)
    const { client } = await w.token(known, ['api'])
    const who = licensed(client)
    await p.as.owner.post(p.settings, { require_reauthentication_to_approve: true })
    expect((await who.get(`${p.path}/approvals`)).body.require_password_to_approve).toBe(true)
    expect((await who.post(`${p.path}/approve`)).status).toBe(401)
    expect((await who.post(`${p.path}/approve`, { approval_password: 'wrong' })).status).toBe(401)
    const approval_password = 'correct horse battery'
    expect((await who.post(`${p.path}/approve`, { approval_password })).status).toBe(201)
  })

  test('let authors approve, or keep those who committed from it', async () => {
    const p = await opened()
    await p.as.owner.post(p.settings, { merge_requests_author_approval: true })
    expect((await p.as.developer.post(`${p.path}/approve`)).status).toBe(201)
    await w.db
      .updateTable('users')
      .set({ commit_email: 'ada@example.com' })
      .where('id', '=', p.maintainer.id)
      .execute()
    await p.as.owner.post(p.settings, { merge_requests_disable_committers_approval: true })
    expect((await p.as.maintainer.post(`${p.path}/approve`)).status).toBe(401)
    expect((await p.as.owner.post(`${p.path}/approve`)).status).toBe(201)
  })
})

describe('a push', () => {
  const push = (p: Awaited<ReturnType<typeof opened>>, file_path: string) =>
    p.developer.post(`/projects/${p.id}/repository/commits`, {
      branch: 'feature',
      commit_message: 'More',
      actions: [{ action: 'create', file_path, content: 'x' }],
    })

  test('takes the approvals back, unless the project keeps them', async () => {
    const p = await opened()
    await p.as.owner.post(`${p.path}/approve`)
    expect((await push(p, 'x.txt')).status).toBe(201)
    expect((await p.as.owner.get(`${p.path}/approvals`)).body.approved_by).toEqual([])
    expect(bodies(await p.owner.get(`${p.path}/notes`))).toContain(
      `reset approvals from @${p.owner.username}`,
    )
    await p.as.owner.post(`${p.path}/approve`)
    await p.as.owner.post(p.settings, { reset_approvals_on_push: false })
    await push(p, 'y.txt')
    expect((await p.as.owner.get(`${p.path}/approvals`)).body.approved_by).toHaveLength(1)
  })

  test('to another branch takes none back', async () => {
    const p = await opened()
    await p.as.owner.post(`${p.path}/approve`)
    await p.maintainer.post(`/projects/${p.id}/repository/branches`, { branch: 'other', ref: 'main' })
    expect((await p.as.owner.get(`${p.path}/approvals`)).body.approved_by).toHaveLength(1)
  })
})

test('reset_approvals is for bots alone', async () => {
  const p = await opened()
  await p.as.owner.post(`${p.path}/approve`)
  for (const who of [p.as.owner, p.as.reporter])
    expect((await who.put(`${p.path}/reset_approvals`)).status).toBe(401)
  const bot = await w.user({ kind: 'bot' })
  await w.member(p.namespaceId, bot, 30)
  const answer = await licensed(bot).put(`${p.path}/reset_approvals`)
  expect([answer.status, answer.body]).toEqual([202, { message: '202 Accepted' }])
  expect((await p.as.owner.get(`${p.path}/approvals`)).body.approved_by).toEqual([])
})
