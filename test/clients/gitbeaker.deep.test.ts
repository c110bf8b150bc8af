import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'

/** An unmodified @gitbeaker/rest, as its users make it. */
const clientOf = (token: string) => new Gitlab({ host: w.url, token })

describe('@gitbeaker/rest', () => {
  test('creates a group and a project and keeps labels in it', async () => {
    const api = clientOf((await w.user()).token)
    const group = await api.Groups.create(unique('Group'), unique('group'), { visibility: 'internal' })
    expect(group).toMatchObject({ visibility: 'internal', parent_id: null })
    const project = await api.Projects.create({ name: 'App', namespaceId: group.id, description: 'An app' })
    expect(project).toMatchObject({
      name: 'App',
      path: 'app',
      namespace: { id: group.id },
      visibility: 'private',
    })
    const label = await api.ProjectLabels.create(project.id, 'bug', '#d9534f', {
      description: 'A fault',
      priority: 1,
    })
    expect(label).toMatchObject({ name: 'bug', color: '#d9534f', priority: 1 })
    const renamed = await api.ProjectLabels.edit(project.path_with_namespace, 'bug', { newName: 'defect' })
    expect(renamed.name).toBe('defect')
    await api.GroupLabels.create(group.id, 'shared', 'blue')
    expect((await api.ProjectLabels.all(project.id)).map(({ name }) => name)).toEqual(['defect', 'shared'])
    await api.ProjectLabels.remove(project.id, 'defect')
    expect((await api.ProjectLabels.all(project.id)).map(({ name }) => name)).toEqual(['shared'])
  })

  test('plans with milestones of projects and groups', async () => {
    const api = clientOf((await w.user()).token)
    const group = await api.Groups.create(unique('Plans'), unique('plans'))
    const project = await api.Projects.create({ name: 'App', namespaceId: group.id })
    const milestone = await api.ProjectMilestones.create(project.id, '1.0', {
      description: 'The first',
      startDate: '2030-01-01',
      dueDate: '2030-02-01',
    })
    expect(milestone).toMatchObject({
      iid: 1,
      project_id: project.id,
      due_date: '2030-02-01',
      state: 'active',
    })
    const shared = await api.GroupMilestones.create(group.id, 'All year')
    expect(shared).toMatchObject({ iid: 1, group_id: group.id, due_date: null })
    const all = await api.ProjectMilestones.all(project.id, { includeParentMilestones: true })
    expect(all.map(({ title }) => title)).toEqual(['All year', '1.0'])
    expect((await api.ProjectMilestones.all(project.id, { iids: [1] })).map(({ id }) => id)).toEqual([
      milestone.id,
    ])
    const closed = await api.ProjectMilestones.edit(project.id, milestone.id, { stateEvent: 'close' })
    expect(closed.state).toBe('closed')
    expect(await api.ProjectMilestones.all(project.id, { state: 'active' })).toEqual([])
    const promoted = await api.ProjectMilestones.promote(project.id, milestone.id)
    expect(promoted).toMatchObject({ id: milestone.id, group_id: group.id })
    expect(await api.GroupMilestones.allAssignedIssues(group.id, milestone.id)).toEqual([])
    await api.GroupMilestones.edit(group.id, shared.id, { stateEvent: 'close', title: 'Last year' })
    expect(await api.GroupMilestones.show(group.id, shared.id)).toMatchObject({
      title: 'Last year',
      state: 'closed',
    })
    await api.GroupMilestones.remove(group.id, shared.id)
    await expect(api.GroupMilestones.show(group.id, shared.id)).rejects.toMatchObject({
      cause: { description: '404 Not found', response: { status: 404 } },
    })
  })

  test('pages through a list by links, with offset and keyset', async () => {
    const user = await w.user()
    const api = clientOf(user.token)
    const group = await api.Groups.create(unique('Pages'), unique('pages'))
    for (let count = 0; count < 25; count += 1) {
      await api.Projects.create({ name: `p${String(count).padStart(2, '0')}`, namespaceId: group.id })
    }
    expect(await api.Projects.all({ membership: true, perPage: 10 })).toHaveLength(25)
    const keyset = await api.Projects.all({
      membership: true,
      perPage: 10,
      pagination: 'keyset',
      orderBy: 'id',
      sort: 'asc',
    })
    expect(keyset.map(({ name }) => name)).toEqual(
      Array.from({ length: 25 }, (_, n) => `p${String(n).padStart(2, '0')}`),
    )
    const { paginationInfo } = await api.Projects.all({
      membership: true,
      perPage: 10,
      showExpanded: true,
      maxPages: 1,
    })
    expect(paginationInfo).toMatchObject({ total: 25, totalPages: 3, next: 2 })
  })

  test('keeps members, shares and subgroups', async () => {
    const [owner, other] = [await w.user(), await w.user()]
    const api = clientOf(owner.token)
    const group = await api.Groups.create(unique('Team'), unique('team'))
    const child = await api.Groups.create(unique('Sub'), unique('sub'), { parentId: group.id })
    const added = await api.GroupMembers.add(group.id, 30, { userId: other.id })
    expect(added).toMatchObject({ id: other.id, access_level: 30 })
    expect(
      (await api.GroupMembers.all(child.id, { includeInherited: true }))
        .map(({ id }) => id)
        .toSorted((a, b) => a - b),
    ).toEqual([owner.id, other.id])
    await api.GroupMembers.edit(group.id, other.id, 40)
    await api.GroupMembers.remove(group.id, other.id)
    const invited = await api.Groups.create(unique('Invited'), unique('invited'))
    const shared = await api.Groups.share(group.id, invited.id, 20, {})
    expect(shared).toMatchObject({ shared_with_groups: [{ group_id: invited.id, group_access_level: 20 }] })
    await api.Groups.unshare(group.id, invited.id, {})
    await api.Groups.remove(child.id)
    await expect(api.Groups.show(child.id)).rejects.toMatchObject({ cause: { response: { status: 404 } } })
  })

  test('administers users and their tokens', async () => {
    const api = clientOf(w.root.token)
    const username = unique('made')
    const user = await api.Users.create({
      username,
      name: 'Made',
      email: `${username}@example.com`,
      forceRandomPassword: true,
    })
    expect(user).toMatchObject({ username, state: 'active', is_admin: false })
    const token = await api.UserImpersonationTokens.create(user.id, 'robot', ['api'], {
      expiresAt: '2099-01-01',
    }).catch((error: Error) => error)
    expect(token).toBeInstanceOf(Error)
    const personal = await api.PersonalAccessTokens.create(user.id, 'mine', ['api'])
    expect(await clientOf(personal.token ?? '').Users.showCurrentUser()).toMatchObject({
      id: user.id,
      username,
    })
    await api.Users.block(user.id)
    await expect(clientOf(personal.token ?? '').Users.showCurrentUser()).rejects.toMatchObject({
      cause: { response: { status: 403 } },
    })
    await api.Users.unblock(user.id)
    await api.Users.remove(user.id)
    await expect(api.Users.show(user.id)).rejects.toMatchObject({ cause: { response: { status: 404 } } })
  })

  test('is told what is wrong', async () => {
    const api = clientOf((await w.user()).token)
    await expect(api.Projects.show(999_999_999)).rejects.toMatchObject({
      cause: { description: '404 Project Not Found', response: { status: 404 } },
    })
    await expect(clientOf('glpat-nobody').Users.showCurrentUser()).rejects.toMatchObject({
      cause: { description: '401 Unauthorized' },
    })
  })

  test('asks for the version first, as many clients do', async () => {
    const api = clientOf((await w.user()).token)
    expect(await api.Metadata.show()).toMatchObject({
      enterprise: true,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
  })
})
