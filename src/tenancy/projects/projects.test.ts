import { Check } from 'typebox/schema'
import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { unique, w } from '#test/world.ts'
import { projectEntity } from './entity.ts'
import { ProjectSimple } from './fields.ts'

const taken = ['has already been taken']

/** A group that `actor` may make projects in. */
async function groupOf(actor: { id: number }, visibility: 'private' | 'public' = 'private') {
  const group = await w.group({ visibility })
  await w.member(group.id, actor, levels.developer)
  return group
}

describe('GET /projects/:id', () => {
  test('shows members everything, with their permissions', async () => {
    const { id, developer, groupId, fullPath } = await w.project()
    await w.member(groupId, developer, levels.guest)
    const { status, body } = await developer.get(`/projects/${id}`)
    expect(status).toBe(200)
    expect(Check(projectEntity(), body)).toBe(true)
    expect(body).toMatchObject({
      path_with_namespace: fullPath,
      default_branch: 'main',
      empty_repo: true,
      readme_url: null,
      import_status: 'none',
      issues_enabled: true,
      issues_access_level: 'enabled',
      merge_method: 'merge',
      http_url_to_repo: `${w.url}/${fullPath}.git`,
      ssh_url_to_repo: null,
      lfs_enabled: true,
      _links: { self: `${w.url}/api/v4/projects/${id}` },
      namespace: { id: groupId, kind: 'group', web_url: `${w.url}/groups/${fullPath.split('/')[0]}` },
      permissions: {
        project_access: { access_level: 30, notification_level: 3 },
        group_access: { access_level: 10, notification_level: 3 },
      },
    })
    expect(body).toHaveProperty('service_desk_address', null)
    const absent = ['owner', 'repository_storage', 'statistics', 'license']
    const ofMaintainers = ['runners_token', 'import_url', 'ci_default_git_depth', 'build_timeout']
    for (const name of [...absent, ...ofMaintainers]) expect(body).not.toHaveProperty(name)
  })

  test('shows callers without credentials only what is simple', async () => {
    const { id } = await w.project({ visibility: 'public' })
    const { body } = await w.anonymous.get(`/projects/${id}`)
    expect(Object.keys(body)).toEqual(Object.keys(ProjectSimple.properties))
  })

  test('answers by path, in two statements', async () => {
    const { encoded, id, reporter } = await w.project()
    await reporter.get(`/projects/${encoded}`)
    const sent = await w.statements(async () => {
      expect((await reporter.get(`/projects/${encoded}`)).body.id).toBe(id)
    })
    expect(sent).toHaveLength(2)
  })

  test('hides private ones exactly like what is not there', async () => {
    const { id, encoded, stranger, anonymous } = await w.project()
    for (const client of [stranger, anonymous]) {
      const missing = await client.get('/projects/987654')
      expect(missing.text).toBe('{"message":"404 Project Not Found"}')
      for (const key of [id, encoded]) {
        const hidden = await client.get(`/projects/${key}`)
        expect([hidden.status, hidden.text]).toEqual([404, missing.text])
        expect([...hidden.headers.keys()].toSorted()).toEqual([...missing.headers.keys()].toSorted())
      }
    }
  })

  test('shows internal ones to people of the instance, not to external users', async () => {
    const { id, stranger, anonymous } = await w.project({ visibility: 'internal' })
    const external = await w.user({ external: true })
    expect((await stranger.get(`/projects/${id}`)).status).toBe(200)
    expect((await external.get(`/projects/${id}`)).status).toBe(404)
    expect((await anonymous.get(`/projects/${id}`)).status).toBe(404)
  })

  test('adds statistics for reporters and the license for all', async () => {
    const { id, reporter, planner } = await w.project()
    const asked = `/projects/${id}?statistics=true&license=true`
    expect((await reporter.get(asked)).body).toMatchObject({ statistics: { commit_count: 0 }, license: null })
    expect((await planner.get(asked)).body).not.toHaveProperty('statistics')
  })

  test('shows maintainers how pipelines run, and administrators the storage', async () => {
    const { id, maintainer, admin, guest } = await w.project()
    expect((await maintainer.get(`/projects/${id}`)).body).toMatchObject({
      runners_token: null,
      import_url: null,
      import_type: null,
      import_error: null,
      ci_default_git_depth: 20,
      restrict_user_defined_variables: false,
    })
    expect((await guest.get(`/projects/${id}`)).body).not.toHaveProperty('service_desk_address')
    expect((await admin.get(`/projects/${id}`)).body).toHaveProperty('repository_storage', 'default')
  })

  test('says archived, and takes changes of its settings, when a group above is', async () => {
    const { id, groupId, owner } = await w.project()
    await w.db.updateTable('namespaces').set({ archived: true }).where('id', '=', groupId).execute()
    expect((await owner.get(`/projects/${id}`)).body).toMatchObject({
      archived: true,
      can_create_merge_request_in: false,
    })
    expect((await owner.put(`/projects/${id}`, { description: 'x' })).status).toBe(200)
  })
})

describe('POST /projects', () => {
  test('makes a personal project, owned by its maker', async () => {
    const user = await w.user()
    const { status, body } = await user.post('/projects', { name: 'Crème Brûlée: 2' })
    expect(status).toBe(400)
    const made = await user.post('/projects', { name: 'Crème Brûlée 2' })
    expect(made.status).toBe(201)
    expect(body.message).toHaveProperty('name')
    expect(Check(projectEntity(), made.body)).toBe(true)
    expect(made.body).toMatchObject({
      name: 'Crème Brûlée 2',
      path: 'creme-brulee-2',
      visibility: 'private',
      creator_id: user.id,
      owner: { id: user.id },
      namespace: { kind: 'user' },
      permissions: { project_access: { access_level: 50 }, group_access: null },
    })
  })

  test('takes the path as name when it is given alone', async () => {
    const user = await w.user()
    const { body } = await user.post('/projects', { path: 'only.path' })
    expect(body).toMatchObject({ name: 'only.path', path: 'only.path' })
  })

  test('keeps settings, under either of their names', async () => {
    const user = await w.user()
    const given = {
      name: unique('p'),
      build_timeout: '700',
      emails_disabled: true,
      wiki_enabled: false,
      snippets_access_level: 'private',
      restrict_user_defined_variables: true,
      container_expiration_policy_attributes: { enabled: true },
    }
    const { id } = (await user.post('/projects', given)).body
    expect((await user.get(`/projects/${id}`)).body).toMatchObject({
      build_timeout: 700,
      emails_enabled: false,
      emails_disabled: true,
      wiki_enabled: false,
      wiki_access_level: 'disabled',
      snippets_enabled: true,
      snippets_access_level: 'private',
      ci_pipeline_variables_minimum_override_role: 'maintainer',
      restrict_user_defined_variables: true,
      container_expiration_policy: { enabled: true, cadence: '1d' },
    })
    const stored = await w.db.selectFrom('projects').select('settings').where('id', '=', id).execute()
    expect(stored[0]?.settings).not.toHaveProperty('snippets_enabled')
    expect(stored[0]?.settings).not.toHaveProperty('name')
  })

  test('names each attribute that is taken', async () => {
    const user = await w.user()
    await user.post('/projects', { name: 'one', path: 'one' })
    const again = await user.post('/projects', { name: 'one', path: 'ONE' })
    expect([again.status, again.body]).toEqual([
      400,
      { message: { 'project_namespace.name': taken, name: taken, path: taken } },
    ])
    const path = await user.post('/projects', { name: 'two', path: 'one' })
    expect(path.body).toEqual({ message: { path: taken } })
    const name = await user.post('/projects', { name: 'one', path: 'two' })
    expect(name.body).toEqual({ message: { 'project_namespace.name': taken, name: taken } })
  })

  test('lets one of two that come together win', async () => {
    const user = await w.user()
    const answers = await Promise.all([1, 2, 3].map(() => user.post('/projects', { name: 'same' })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400])
  })

  test.each([
    [{}, 'name, path are missing, at least one parameter must be provided'],
    [{ name: '' }, 'name is empty'],
    [{ name: 'x'.repeat(256) }, 'name is too long (maximum is 255 characters)'],
    [{ name: 'x', visibility: 'secret' }, 'visibility does not have a valid value'],
    [{ name: 'x', repository_storage: 'other' }, 'repository_storage does not have a valid value'],
    [{ name: 'x', build_timeout: 1 }, 'build_timeout does not have a valid value'],
    [{ name: 'x', issues_enabled: 'maybe' }, 'issues_enabled is invalid'],
  ])('refuses %j', async (given, error) => {
    const answer = await w.root.post('/projects', given)
    expect([answer.status, answer.body.error]).toEqual([400, error])
  })

  test.each([
    { template_name: 'rails' },
    { mirror: true },
    { pre_receive_secret_detection_enabled: true },
    { import_url_password: 'secret' },
  ])('says what cannot be kept yet: %j', async (given) => {
    const { status, body } = await w.root.post('/projects', { name: unique('p'), ...given })
    expect(status).toBe(400)
    expect(body.message).toMatch(new RegExp(`^400 Bad request - ${Object.keys(given)[0]}: `))
  })

  test('accepts those when they ask for nothing', async () => {
    const given = { initialize_with_readme: false, import_url: '', topics: [], mirror: false, avatar: '' }
    for (const repository_storage of ['default', '']) {
      const asked = { name: unique('p'), ...given, template_project_id: 0, repository_storage }
      expect((await w.root.post('/projects', asked)).status).toBe(201)
    }
  })

  test('puts it where one may make projects: as the group says', async () => {
    const user = await w.user()
    const group = await groupOf(user)
    const inGroup = () => user.post('/projects', { name: unique('p'), namespace_id: group.id })
    expect((await inGroup()).body.namespace.id).toBe(group.id)
    const levelIs = (project_creation_level: string) =>
      w.db
        .updateTable('namespaces')
        .set({ settings: JSON.stringify({ project_creation_level }) })
        .where('id', '=', group.id)
        .execute()
    await levelIs('maintainer')
    expect((await inGroup()).body).toEqual({ message: '403 Forbidden - namespace is not valid' })
    await levelIs('noone')
    expect((await w.root.post('/projects', { name: 'x', namespace_id: group.id })).status).toBe(403)
    expect((await group.reporter.post('/projects', { name: 'x', namespace_id: group.id })).status).toBe(403)
  })

  test('hides namespaces that one may not see, and those of others', async () => {
    const { groupId, stranger, owner } = await w.project()
    const own = await w.db
      .selectFrom('namespaces')
      .select('id')
      .where('owner_id', '=', owner.id)
      .executeTakeFirstOrThrow()
    for (const namespace_id of [groupId, own.id, 987_654]) {
      const { status, body } = await stranger.post('/projects', { name: 'x', namespace_id })
      expect([status, body]).toEqual([404, { message: '404 Namespace Not Found' }])
    }
  })

  test('keeps the limit of personal projects, also for two at once', async () => {
    const user = await w.user({ projectsLimit: 1 })
    const answers = await Promise.all(['a', 'b'].map((name) => user.post('/projects', { name })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403])
    const group = await groupOf(user)
    expect((await user.post('/projects', { name: 'c', namespace_id: group.id })).status).toBe(201)
  })

  test('is not more visible than the group', async () => {
    const user = await w.user()
    const group = await groupOf(user)
    const given = { name: unique('p'), namespace_id: group.id, visibility: 'public' }
    const { status, body } = await user.post('/projects', given)
    expect(status).toBe(400)
    expect(body.message).toHaveProperty('visibility_level')
  })
})

describe('POST /projects/user/:user_id', () => {
  test('makes a project that counts as the user’s own', async () => {
    const user = await w.user()
    const { status, body } = await w.root.post(`/projects/user/${user.id}`, { name: 'theirs' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ creator_id: user.id, owner: { id: user.id } })
    expect((await user.get(`/projects/${body.id}`)).body.permissions.project_access.access_level).toBe(50)
  })

  test('needs a name, an administrator and a user', async () => {
    const user = await w.user()
    expect((await w.root.post(`/projects/user/${user.id}`, { path: 'x' })).body.error).toBe('name is missing')
    expect((await user.post(`/projects/user/${user.id}`, { name: 'x' })).status).toBe(403)
    expect((await w.root.post('/projects/user/987654', { name: 'x' })).body.message).toBe(
      '404 User Not Found',
    )
  })
})

describe('PUT /projects/:id', () => {
  test('changes what is given and leaves the rest', async () => {
    const { id, maintainer } = await w.project()
    await maintainer.put(`/projects/${id}`, { merge_method: 'ff', description: 'one' })
    const { status, body } = await maintainer.put(`/projects/${id}`, {
      description: '<b>',
      issues_access_level: 'private',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      merge_method: 'ff',
      description: '<b>',
      description_html: '<p>&lt;b&gt;</p>',
      issues_access_level: 'private',
    })
    const same = await maintainer.put(`/projects/${id}`, { issues_enabled: true })
    expect(same.body).toMatchObject({ issues_enabled: true, issues_access_level: 'private' })
    const off = await maintainer.put(`/projects/${id}`, { issues_enabled: false })
    expect(off.body).toMatchObject({ issues_enabled: false, issues_access_level: 'disabled' })
  })

  test('stores only what differs from the defaults', async () => {
    const { id, maintainer } = await w.project()
    await maintainer.put(`/projects/${id}`, { merge_method: 'ff', public_builds: false })
    await maintainer.put(`/projects/${id}`, { merge_method: 'merge' })
    const row = await w.db.selectFrom('projects').select('settings').where('id', '=', id).executeTakeFirst()
    expect(row?.settings).toEqual({ public_jobs: false })
  })

  test('asks an owner for the path, the visibility and archiving, but not to say what is so', async () => {
    const { id, maintainer, owner, fullPath } = await w.project({ visibility: 'public' })
    for (const changes of [{ path: 'other' }, { visibility: 'private' }, { archived: true }]) {
      expect((await maintainer.put(`/projects/${id}`, changes)).status).toBe(403)
    }
    const same = { path: fullPath.split('/')[1], visibility: 'public', archived: false, name: 'New' }
    expect((await maintainer.put(`/projects/${id}`, same)).body.name).toBe('New')
    expect((await owner.put(`/projects/${id}`, { visibility: 'private' })).body.visibility).toBe('private')
    expect((await owner.put(`/projects/${id}`, { path: '-bad' })).status).toBe(400)
  })

  test('needs at least one attribute', async () => {
    const { id, maintainer } = await w.project()
    const { status, body } = await maintainer.put(`/projects/${id}`, {})
    expect(status).toBe(400)
    expect(body.error).toMatch(/are missing, at least one parameter must be provided$/)
  })

  test('takes settings while archived, of those who could change them before', async () => {
    const { id, developer, maintainer, owner } = await w.project()
    expect((await owner.put(`/projects/${id}`, { archived: true })).body.archived).toBe(true)
    const changed = await maintainer.put(`/projects/${id}`, { description: 'Kept', topics: ['old'] })
    expect(changed.body).toMatchObject({ archived: true, description: 'Kept', topics: ['old'] })
    const path = unique('archived')
    expect((await maintainer.put(`/projects/${id}`, { path })).status).toBe(403)
    expect((await owner.put(`/projects/${id}`, { path, archived: true })).body.path).toBe(path)
    expect((await developer.put(`/projects/${id}`, { description: 'x' })).status).toBe(403)
    expect((await owner.post(`/projects/${id}/labels`, { name: 'x', color: 'red' })).status).toBe(403)
    expect((await maintainer.put(`/projects/${id}`, { archived: false })).status).toBe(403)
    expect((await owner.put(`/projects/${id}`, { archived: false })).body.archived).toBe(false)
  })

  test('refuses a name of a neighbour, and what was changed since', async () => {
    const { id, groupId, owner } = await w.project()
    const neighbour = await w.project({ parent: groupId })
    const name = neighbour.fullPath.split('/')[1]
    expect((await owner.put(`/projects/${id}`, { name, path: name })).body).toEqual({
      message: { 'project_namespace.name': taken, name: taken, path: taken },
    })
    const since = { headers: { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' } }
    expect((await owner.put(`/projects/${id}`, { name: 'x' }, since)).status).toBe(412)
  })
})

describe('DELETE /projects/:id', () => {
  test('hides it at once, everywhere, and frees its path', async () => {
    const { id, owner, groupId, fullPath } = await w.project()
    const answer = await owner.delete(`/projects/${id}`)
    expect([answer.status, answer.text]).toEqual([202, '{"message":"202 Accepted"}'])
    expect((await owner.get(`/projects/${id}`)).status).toBe(404)
    expect((await w.root.get(`/projects/${encodeURIComponent(fullPath)}`)).status).toBe(404)
    expect((await owner.get('/projects?membership=true&include_pending_delete=true')).body).toEqual([])
    expect((await w.root.get(`/groups/${groupId}/projects`)).body).toEqual([])
    const again = await w.root.post('/projects', { path: fullPath.split('/')[1], namespace_id: groupId })
    expect(again.status).toBe(201)
  })

  test('takes the path as a safeguard', async () => {
    const { id, owner, fullPath } = await w.project()
    expect((await owner.delete(`/projects/${id}?full_path=other`)).status).toBe(400)
    expect((await owner.delete(`/projects/${id}?permanently_remove=true`)).status).toBe(400)
    const both = `?permanently_remove=true&full_path=${encodeURIComponent(fullPath)}`
    expect((await owner.delete(`/projects/${id}${both}`)).status).toBe(202)
  })
})
