import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { cloneOf, projectWith, urlWith, withGit } from '#code/git-http/test-support.ts'
import { matches } from '#code/protected-references/match.ts'
import { giveSample } from '#test/repositories.ts'
import { type Actor, unique, w } from '#test/world.ts'

withGit()

const listOf = (project: { readonly id: number }) => `/projects/${project.id}/protected_branches`

/** What a push of one new commit to a branch comes to. */
async function pushes(by: Actor, project: { readonly fullPath: string }, branch: string, ...args: string[]) {
  const work = await cloneOf(urlWith(by.token, project.fullPath))
  await work.commit({ [unique('file')]: branch })
  const { code, err } = await work.try('push', ...args, 'origin', `HEAD:refs/heads/${branch}`)
  return { code, err }
}

describe('POST /projects/:id/protected_branches', () => {
  it('protects a branch for Maintainers, with every field', async () => {
    const project = await w.project()
    const { status, body } = await project.maintainer.post(listOf(project), { name: 'main' })
    const maintainers = [
      {
        id: expect.any(Number),
        access_level: 40,
        access_level_description: 'Maintainers',
        user_id: null,
        group_id: null,
      },
    ]
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        name: 'main',
        push_access_levels: maintainers,
        merge_access_levels: maintainers,
        unprotect_access_levels: maintainers,
        allow_force_push: false,
        code_owner_approval_required: false,
        inherited: false,
      },
    ])
    const again = await project.maintainer.post(listOf(project), { name: 'main' })
    expect([again.status, again.body]).toEqual([409, { message: "Protected branch 'main' already exists" }])
    expect((await project.maintainer.get(`${listOf(project)}/main`)).body).toEqual(body)
    expect((await project.maintainer.get(listOf(project))).body).toEqual([body])
  })

  it('refuses a name that reads as another one', async () => {
    const project = await w.project()
    const { status, body } = await project.maintainer.post(listOf(project), { name: 'main\u202e*' })
    expect([status, body.message]).toEqual([
      400,
      { name: ['must not have characters that change the direction of text'] },
    ])
  })

  it('refuses many wildcards in a name, and many names', async () => {
    const project = await w.project()
    const { maintainer, id } = project
    const many = await maintainer.post(listOf(project), { name: '*a'.repeat(11) })
    expect([many.status, many.body.message]).toEqual([
      400,
      { name: ['must not have more than 10 wildcards'] },
    ])
    await sql`
      insert into protected_references (project_id, kind, name, created_at, updated_at)
      select ${id}, 'branch', 'b' || n, now(), now() from generate_series(1, 999) n`.execute(w.db)
    expect((await maintainer.post(listOf(project), { name: '*a'.repeat(10) })).status).toBe(201)
    const last = await maintainer.post(listOf(project), { name: 'one too many' })
    expect([last.status, last.body.message]).toEqual([400, { base: ['1000 names are protected already'] }])
  })

  it('takes levels, and refuses others', async () => {
    const project = await w.project()
    const { body } = await project.maintainer.post(listOf(project), {
      name: 'release/*',
      push_access_level: 0,
      merge_access_level: 30,
      unprotect_access_level: 60,
      allow_force_push: true,
    })
    expect(body).toMatchObject({
      push_access_levels: [{ access_level: 0, access_level_description: 'No one' }],
      merge_access_levels: [{ access_level: 30, access_level_description: 'Developers + Maintainers' }],
      unprotect_access_levels: [{ access_level: 60, access_level_description: 'Instance admins' }],
      allow_force_push: true,
    })
    const refused = (json: object) => project.maintainer.post(listOf(project), { name: 'x', ...json })
    expect((await refused({ push_access_level: 20 })).status).toBe(400)
    expect((await refused({ unprotect_access_level: 0 })).status).toBe(400)
    expect((await refused({ name: '' })).status).toBe(400)
    expect((await refused({ allowed_to_push: [{}] })).body.message).toEqual({
      allowed_to_push: ['must have exactly one of access_level, user_id and group_id'],
    })
    expect((await refused({ allowed_to_push: [{ deploy_key_id: 1 }] })).status).toBe(400)
  })

  it('takes users and groups on Premium', async () => {
    const project = await w.project()
    const { developer, stranger, guest, maintainer } = project
    const group = await w.group()
    const ask = (allowed_to_push: object[]) =>
      maintainer.post(listOf(project), { name: 'main', allowed_to_push })
    const free = await ask([{ user_id: developer.id }])
    expect([free.status, free.body.message]).toEqual([
      403,
      '403 Forbidden - Protection for users and groups needs premium',
    ])
    expect(
      (await maintainer.post(listOf(project), { name: 'x', code_owner_approval_required: true })).status,
    ).toBe(403)
    await w.onPlan('premium', async () => {
      expect((await ask([{ user_id: stranger.id }])).body.message).toEqual({
        allowed_to_push: [`user ${stranger.id} may not push to the project`],
      })
      expect((await ask([{ user_id: guest.id }])).status).toBe(400)
      expect((await ask([{ group_id: group.id }])).body.message).toEqual({
        allowed_to_push: [`group ${group.id} has no access to the project`],
      })
      await w.root.post(`/projects/${project.id}/share`, { group_id: group.id, group_access: 30 })
      const { body } = await ask([{ user_id: developer.id }, { group_id: group.id }])
      expect(body.push_access_levels).toMatchObject([
        { user_id: developer.id, access_level: null, access_level_description: developer.username },
        { group_id: group.id, access_level: null },
      ])
    })
    await giveSample(project)
    const canPush = async (by: Actor) =>
      (await by.get(`/projects/${project.id}/repository/branches/main`)).body.can_push
    expect(await canPush(developer)).toBe(true)
    expect(await canPush(group.developer)).toBe(true)
    expect(await canPush(maintainer)).toBe(false)
    expect(await canPush(w.root)).toBe(true)
  })
})

describe('PATCH /projects/:id/protected_branches/:name', () => {
  it('adds, changes and removes who may push', async () => {
    const project = await w.project()
    const path = `${listOf(project)}/main`
    const { maintainer } = project
    const made = await maintainer.post(listOf(project), { name: 'main' })
    const [{ id }] = made.body.push_access_levels
    const added = await maintainer.patch(path, { allowed_to_push: [{ access_level: 30 }] })
    const levels = (body: typeof made.body) =>
      body.push_access_levels.map((one: { access_level: number }) => one.access_level)
    expect(levels(added.body)).toEqual([40, 30])
    const removed = await maintainer.patch(path, {
      allowed_to_push: [{ id, _destroy: true }],
      allow_force_push: true,
    })
    expect([levels(removed.body), removed.body.allow_force_push]).toEqual([[30], true])
    const [{ id: left }] = removed.body.push_access_levels
    const changed = await maintainer.patch(path, { allowed_to_push: [{ id: left, access_level: 0 }] })
    expect(levels(changed.body)).toEqual([0])
    expect((await maintainer.patch(path, { allowed_to_merge: [{ id, _destroy: true }] })).status).toBe(400)
    expect((await maintainer.patch(`${listOf(project)}/x`, {})).status).toBe(404)
  })

  it('is for those who may unprotect', async () => {
    const project = await w.project()
    const { maintainer } = project
    await maintainer.post(listOf(project), { name: 'main', unprotect_access_level: 60 })
    const path = `${listOf(project)}/main`
    expect((await maintainer.patch(path, { allow_force_push: true })).status).toBe(403)
    expect((await maintainer.delete(path)).status).toBe(403)
    expect((await w.root.delete(path)).status).toBe(204)
    expect((await maintainer.get(path)).status).toBe(404)
  })
})

describe('the list', () => {
  it('is by name, and searches', async () => {
    const project = await w.project()
    const { maintainer } = project
    for (const name of ['b', 'a/*', 'main']) await maintainer.post(listOf(project), { name })
    const names = async (query = '') =>
      (await maintainer.get(listOf(project) + query)).body.map(({ name }: { name: string }) => name)
    expect(await names()).toEqual(['a/*', 'b', 'main'])
    expect(await names('?search=A')).toEqual(['a/*', 'main'])
    expect((await maintainer.get(`${listOf(project)}/a%2F*`)).body.name).toBe('a/*')
    const once = await w.sent(() => maintainer.get(listOf(project)))
    expect(once.length).toBeLessThanOrEqual(3)
  })

  it('tells the audit', async () => {
    const project = await w.project()
    const { maintainer, owner } = project
    await maintainer.post(listOf(project), { name: 'main' })
    await maintainer.patch(`${listOf(project)}/main`, { allow_force_push: true })
    await maintainer.delete(`${listOf(project)}/main`)
    await w.onPlan('premium', async () => {
      const { body } = await owner.get(`/projects/${project.id}/audit_events`)
      const told = body.map(({ event_name, details }: { event_name: string; details: object }) => ({
        event_name,
        ...details,
      }))
      expect(told.slice(0, 3)).toMatchObject([
        { event_name: 'protected_branch_removed', remove: 'protected branch', target_details: 'main' },
        { event_name: 'protected_branch_allow_force_push_updated', from: 'false', to: 'true' },
        {
          event_name: 'protected_branch_created',
          add: 'protected branch',
          custom_message:
            'Protected the branch main: push Maintainers; merge Maintainers; unprotect Maintainers',
        },
      ])
    })
  })
})

describe('a protected branch', () => {
  it('is the default branch of a new project, as the group or the instance wants', async () => {
    const { project } = await projectWith({ a: '1' })
    const { body } = await project.maintainer.get(`${listOf(project)}/main`)
    expect(body).toMatchObject({
      push_access_levels: [{ access_level: 40 }],
      merge_access_levels: [{ access_level: 40 }],
      allow_force_push: false,
    })
    const group = await w.group()
    await group.owner.put(`/groups/${group.id}`, { default_branch_protection: 3 })
    const subgroup = await w.group({ parent: group.id })
    const inGroup = await projectWith({ a: '1' }, { parent: subgroup.id })
    const found = await inGroup.project.maintainer.get(`${listOf(inGroup.project)}/main`)
    expect(found.body).toMatchObject({
      push_access_levels: [{ access_level: 40 }],
      merge_access_levels: [{ access_level: 30 }],
    })
    await group.owner.put(`/groups/${group.id}`, { default_branch_protection: 0 })
    const open = await projectWith({ a: '1' }, { parent: group.id })
    expect((await open.project.maintainer.get(listOf(open.project))).body).toEqual([])
  })

  it('keeps Developers from pushing, deleting and forcing, by git and by the API', async () => {
    const { project } = await projectWith({ a: '1' })
    const { developer, maintainer } = project
    const refused = await pushes(developer, project, 'main')
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('you may not push to the protected branch main')
    expect((await pushes(developer, project, 'other')).code).toBe(0)
    expect((await pushes(maintainer, project, 'main')).code).toBe(0)
    await maintainer.post(listOf(project), { name: 'rel-*' })
    expect((await pushes(developer, project, 'rel-1')).code).toBe(1)
    const made = await developer.post(`/projects/${project.id}/repository/branches`, {
      branch: 'rel-1',
      ref: 'main',
    })
    expect([made.status, made.body.message]).toEqual([
      403,
      '403 Forbidden - You are not allowed to push into this branch',
    ])
  })

  it('lets nobody push by force or delete it, unless the protection allows force', async () => {
    const { project, work } = await projectWith({ a: '1' })
    const { maintainer } = project
    await work.run('checkout', '--quiet', '--orphan', 'anew')
    await work.commit({ b: '2' })
    const forced = await work.try('push', '--force', 'origin', 'anew:main')
    expect(forced.err).toContain('nobody may push to it by force')
    const deleted = await work.try('push', 'origin', ':main')
    expect(deleted.err).toContain('default branch')
    await maintainer.patch(`${listOf(project)}/main`, { allow_force_push: true })
    expect((await work.try('push', '--force', 'origin', 'anew:main')).code).toBe(0)
  })

  it('takes the most permissive of several protections', async () => {
    const { project } = await projectWith({ a: '1' })
    const { developer, maintainer } = project
    await maintainer.post(listOf(project), { name: 'rel*', push_access_level: 0 })
    expect((await pushes(maintainer, project, 'rel1')).code).toBe(1)
    await maintainer.post(listOf(project), { name: 'rel1', push_access_level: 30 })
    expect((await pushes(developer, project, 'rel1')).code).toBe(0)
  })

  it('decides before there is any branch', async () => {
    const project = await w.project()
    const refused = await pushes(project.developer, project, 'main')
    expect(refused.err).toContain('you may not push the first branch of this project')
    const group = await w.group()
    await group.owner.put(`/groups/${group.id}`, { default_branch_protection: 4 })
    const inGroup = await w.project({ parent: group.id })
    expect((await pushes(inGroup.developer, inGroup, 'main')).code).toBe(0)
    expect((await pushes(inGroup.developer, inGroup, 'main')).code).toBe(1)
  })
})

describe('a pattern', () => {
  it.each([
    ['main', 'main', true],
    ['main', 'main2', false],
    ['*', 'a/b', true],
    ['a*', 'a', true],
    ['*-stable', 'v1-stable', true],
    ['*-stable', 'v1-stable2', false],
    ['a*b*c', 'abc', true],
    ['a*b*c', 'a1b2c', true],
    ['a*b*c', 'ac', false],
    ['ab*ba', 'aba', false],
    ['a*ab', 'aab', true],
    ['*a*', 'xyz', false],
    ['a.c', 'abc', false],
    ['**', '', true],
  ])('%s and %s', (pattern, name, expected) => {
    expect(matches(pattern, name)).toBe(expected)
  })
})
