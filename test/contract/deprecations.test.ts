import { describe, expect, test } from 'vitest'
import { licensed, opened } from '#code/merge-requests/approvals/test-support.ts'
import type { JsonSchema } from '#platform/openapi/json-schema.ts'
import { archiveOf, importOf } from '#test/archives.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { until } from '#test/until.ts'
import { unique, w } from '#test/world.ts'
import { fieldOf, operationOf, parameterOf } from './described.ts'

/** What a client is told of a route; without credentials, as deprecation shows before anybody asks who calls. */
async function announced(method: string, url: string): Promise<string | null> {
  const path = url.replace(/:\w+/g, '1').replace(/^\/api\/v4/, '')
  return (await w.anonymous.send(method, path)).headers.get('deprecation')
}

describe('routes', () => {
  const inApi = () => w.running.app.declaredRoutes.filter(({ access }) => !access.outside)

  test('every answer of a deprecated route says since when, a refusal too', async () => {
    const deprecated = inApi().filter(({ schema }) => schema.deprecated !== undefined)
    expect(deprecated.length).toBeGreaterThan(40)
    const told = await Promise.all(deprecated.map(({ method, url }) => announced(method, url)))
    expect(told).toEqual(
      deprecated.map(({ schema }) => `@${Date.parse(`${schema.deprecated?.since}T00:00:00Z`) / 1000}`),
    )
  })

  test('a deprecated route that succeeds says it, with HEAD as with GET, and its neighbours say nothing', async () => {
    const p = await branchedProject()
    const { path } = await openMergeRequest(p, p.developer)
    const header = async (method: string, rest: string) => {
      const { status, headers } = await p.developer.send(method, path + rest)
      return [status, headers.get('deprecation')]
    }
    expect(await header('GET', '/changes')).toEqual([200, '@1671667200'])
    expect(await header('HEAD', '/changes')).toEqual([200, '@1671667200'])
    expect(await header('GET', '/diffs')).toEqual([200, null])
    expect(await header('GET', '')).toEqual([200, null])
  })
})

/** Whether the description says that parameters or fields are deprecated, and their successors are not. */
const marks = (
  of: (route: string, name: string) => JsonSchema | undefined,
  route: string,
  names: readonly string[],
) => names.map((name) => of(route, name)?.deprecated ?? false)
const isMarked = (route: string) => operationOf(route)['deprecated']

const ofMergeRequests = [
  'GET /projects/{id}/merge_requests/{merge_request_iid}',
  'GET /projects/{id}/merge_requests',
]

// One test for each row of the specification's table, but for pull mirroring.
describe('deprecated names', () => {
  test('geo_nodes endpoints', async () => {
    const because = '404 Not found - Deprecated since 2023-05-22 in favor of `geo_sites`.'
    for (const [by, method, path] of [
      [w.anonymous, 'GET', '/geo_nodes'],
      [w.root, 'POST', '/geo_nodes'],
      [w.root, 'GET', '/geo_nodes/1/status'],
      [w.root, 'GET', '/geo_nodes/status'],
    ] as const) {
      const { status, body } = await by.send(method, path)
      expect([status, body.message]).toEqual([404, because])
    }
    expect(isMarked('GET /geo_nodes')).toBe(true)
  })

  test('merged_by field of merge requests', async () => {
    const p = await branchedProject()
    const { path } = await openMergeRequest(p, p.developer)
    expect((await p.developer.get(path)).body).toMatchObject({ merged_by: null, merge_user: null })
    await until(async () => expect((await p.maintainer.put(`${path}/merge`)).status).toBe(200))
    const { merged_by, merge_user } = (await p.developer.get(path)).body
    expect([merged_by.id, merge_user]).toEqual([p.maintainer.id, merged_by])
    for (const route of ofMergeRequests)
      expect(marks(fieldOf, route, ['merged_by', 'merge_user'])).toEqual([true, false])
  })

  test('merge_status field of merge requests', async () => {
    const p = await branchedProject()
    const { path } = await openMergeRequest(p, p.developer)
    await until(async () =>
      expect((await p.developer.get(path)).body).toMatchObject({
        merge_status: 'can_be_merged',
        detailed_merge_status: 'mergeable',
      }),
    )
    for (const route of ofMergeRequests)
      expect(marks(fieldOf, route, ['merge_status', 'detailed_merge_status'])).toEqual([true, false])
  })

  test('null value of private_profile on user create and update', async () => {
    const username = unique('private')
    const account = { username, name: 'P', email: `${username}@example.com`, password: 'correct horse' }
    const made = await w.root.post('/users', { ...account, private_profile: null })
    expect([made.status, made.body.private_profile]).toEqual([201, false])
    const path = `/users/${made.body.id}`
    expect((await w.root.put(path, { private_profile: true })).body.private_profile).toBe(true)
    expect((await w.root.put(path, { private_profile: null })).body.private_profile).toBe(false)
    for (const route of ['POST /users', 'PUT /users/{id}'])
      expect(parameterOf(route, 'private_profile')?.anyOf).toEqual([
        { type: 'boolean' },
        { type: 'null', deprecated: true },
      ])
  })

  test('single merge request changes endpoint', async () => {
    const p = await branchedProject()
    const { path } = await openMergeRequest(p, p.developer)
    const changes = await p.developer.get(`${path}/changes`)
    expect(changes.body.changes).toEqual((await p.developer.get(`${path}/diffs`)).body)
    expect(changes.headers.get('deprecation')).toBe('@1671667200')
    const route = 'GET /projects/{id}/merge_requests/{merge_request_iid}'
    expect([isMarked(`${route}/changes`), isMarked(`${route}/diffs`)]).toEqual([true, undefined])
  })

  test('managed licenses endpoint', async () => {
    const { id, owner } = await w.project()
    for (const path of [`/projects/${id}/managed_licenses`, `/projects/${id}/managed_licenses/MIT`]) {
      const { status, body } = await owner.get(path)
      expect([status, body.message]).toEqual([
        404,
        '404 Not found - Deprecated since 2023-02-22 in favor of license approval policies.',
      ])
    }
    expect(isMarked('POST /projects/{id}/managed_licenses')).toBe(true)
  })

  test('approvers and approval_groups in the merge request approval configuration', async () => {
    const p = await opened()
    const empty = { approvers: [], approver_groups: [] }
    expect((await p.as.maintainer.get(p.settings)).body).toMatchObject(empty)
    expect((await p.as.maintainer.get(`${p.path}/approvals`)).body).toMatchObject({
      ...empty,
      approval_groups: [],
    })
    const route = 'GET /projects/{id}/merge_requests/{merge_request_iid}/approvals'
    expect(marks(fieldOf, route, ['approvers', 'approver_groups', 'approval_groups'])).toEqual([
      true,
      true,
      true,
    ])
    expect(marks(fieldOf, 'GET /projects/{id}/approvals', ['approvers', 'approver_groups'])).toEqual([
      true,
      true,
    ])
  })

  test('properties active and ip_address of runners, and their status', async () => {
    const { id, maintainer } = await w.project()
    const made = await maintainer.post('/user/runners', { runner_type: 'project_type', project_id: id })
    const path = `/runners/${made.body.id}`
    const change = async (changes: object) => {
      const { status, body } = await maintainer.put(path, changes)
      return [status, body.active, body.paused]
    }
    expect(await change({ active: false })).toEqual([200, false, true])
    expect(await change({ paused: false })).toEqual([200, true, false])
    expect(await change({ active: true, paused: false })).toEqual([400, undefined, undefined])
    expect((await maintainer.get(path)).body).toMatchObject({
      ip_address: '',
      status: 'never_contacted',
      online: null,
    })
    const listed = await maintainer.get('/runners?status=not_connected')
    expect(listed.body.map((one: { id: number }) => one.id)).toEqual([made.body.id])
    expect((await maintainer.get('/runners?status=never_contacted')).body).toEqual(listed.body)
    expect(marks(parameterOf, 'PUT /runners/{id}', ['active', 'paused'])).toEqual([true, false])
    const names = ['active', 'paused', 'ip_address', 'status']
    for (const route of ['GET /runners', 'GET /runners/{id}', 'GET /projects/{id}/runners'])
      expect(marks(fieldOf, route, names)).toEqual([true, false, true, false])
    expect(marks(fieldOf, 'GET /runners/{id}/managers', ['ip_address'])).toEqual([true])
  })

  test('default_branch_protection field of groups', async () => {
    const { id, owner } = await w.group()
    const change = async (changes: object) => {
      const { body } = await owner.put(`/groups/${id}`, changes)
      return [body.default_branch_protection, body.default_branch_protection_defaults.allow_force_push]
    }
    expect(await change({ default_branch_protection: 0 })).toEqual([0, true])
    const [push, merge] = [[{ access_level: 30 }], [{ access_level: 30 }]]
    const defaults = { allowed_to_push: push, allowed_to_merge: merge, allow_force_push: false }
    expect(await change({ default_branch_protection_defaults: defaults })).toEqual([1, false])
    const both = { default_branch_protection: 0, default_branch_protection_defaults: defaults }
    expect(await change(both)).toEqual([1, false])
    const names = ['default_branch_protection', 'default_branch_protection_defaults']
    for (const route of ['POST /groups', 'PUT /groups/{id}'])
      expect(marks(parameterOf, route, names)).toEqual([true, false])
    expect(marks(fieldOf, 'GET /groups/{id}', names)).toEqual([true, false])
  })

  test('default_branch_protection field of the application settings', async () => {
    const shown = async () => {
      const { body } = await w.root.get('/application/settings')
      return [body.default_branch_protection, body.default_branch_protection_defaults.allow_force_push]
    }
    const change = async (changes: object) => {
      expect((await w.root.put('/application/settings', changes)).status).toBe(200)
      return shown()
    }
    expect(await shown()).toEqual([2, false])
    expect(await change({ default_branch_protection: 0 })).toEqual([0, true])
    const defaults = {
      allowed_to_push: [{ access_level: 30 }],
      allowed_to_merge: [{ access_level: 30 }],
      allow_force_push: false,
      developer_can_initial_push: false,
    }
    expect(await change({ default_branch_protection_defaults: defaults })).toEqual([1, false])
    const both = { default_branch_protection: 0, default_branch_protection_defaults: defaults }
    expect(await change(both)).toEqual([1, false])
    expect(await change({ default_branch_protection: 2 })).toEqual([2, false])
    const names = ['default_branch_protection', 'default_branch_protection_defaults']
    expect(marks(parameterOf, 'PUT /application/settings', names)).toEqual([true, false])
    expect(marks(fieldOf, 'GET /application/settings', names)).toEqual([true, false])
  })

  test('require_password_to_approve', async () => {
    const p = await opened()
    const [older, newer] = ['require_password_to_approve', 'require_reauthentication_to_approve'] as const
    const change = async (changes: object) => {
      const { status, body } = await p.as.maintainer.post(p.settings, changes)
      return [status, body[older], body[newer]]
    }
    expect(await change({ [older]: true })).toEqual([201, true, true])
    expect((await p.as.maintainer.get(`${p.path}/approvals`)).body).toMatchObject({
      [older]: true,
      [newer]: true,
    })
    expect(await change({ [older]: true, [newer]: false })).toEqual([201, false, false])
    const route = 'POST /projects/{id}/approvals'
    expect(marks(parameterOf, route, [older, newer])).toEqual([true, false])
    expect(marks(fieldOf, route, [older, newer])).toEqual([true, false])
    const ofOne = 'GET /projects/{id}/merge_requests/{merge_request_iid}/approvals'
    expect(marks(fieldOf, ofOne, [older, newer])).toEqual([true, false])
  })

  test('restrict_user_defined_variables on projects', async () => {
    const { id, owner } = await w.project()
    const [older, newer] = [
      'restrict_user_defined_variables',
      'ci_pipeline_variables_minimum_override_role',
    ] as const
    const change = async (changes: object) => {
      const { body } = await owner.put(`/projects/${id}`, changes)
      return [body[older], body[newer]]
    }
    expect(await change({ [newer]: 'developer' })).toEqual([false, 'developer'])
    expect(await change({ [older]: true })).toEqual([true, 'maintainer'])
    expect(await change({ [newer]: 'owner' })).toEqual([true, 'owner'])
    expect(await change({ [older]: true })).toEqual([true, 'owner'])
    expect(await change({ [older]: false })).toEqual([false, 'developer'])
    expect(await change({ [older]: false, [newer]: 'no_one_allowed' })).toEqual([true, 'no_one_allowed'])
    for (const route of ['POST /projects', 'PUT /projects/{id}'])
      expect(marks(parameterOf, route, [older, newer])).toEqual([true, false])
    expect(marks(fieldOf, 'POST /projects', [older, newer])).toEqual([true, false])
  })

  test('namespace parameter of project import', async () => {
    const archive = await archiveOf()
    const [one, other] = [await w.group(), await w.group()]
    const imported = async (fields: Record<string, string>) => {
      const { status, body } = await importOf(w.root, archive, fields)
      return [status, body.path_with_namespace?.split('/').slice(0, -1).join('/')]
    }
    expect(await imported({ namespace: one.fullPath })).toEqual([201, one.fullPath])
    expect(await imported({ namespace: String(one.id) })).toEqual([201, one.fullPath])
    expect(await imported({ namespace_id: String(one.id) })).toEqual([201, one.fullPath])
    expect(await imported({ namespace_path: one.fullPath })).toEqual([201, one.fullPath])
    expect(await imported({ namespace: one.fullPath, namespace_path: other.fullPath })).toEqual([
      201,
      other.fullPath,
    ])
    const names = ['namespace', 'namespace_id', 'namespace_path']
    expect(marks(parameterOf, 'POST /projects/import', names)).toEqual([true, false, false])
  })

  test('epics API', async () => {
    const { id, planner } = await w.group()
    const by = licensed(planner)
    const made = await by.post(`/groups/${id}/epics`, { title: 'Whole' })
    const { status, headers } = await by.get(`/groups/${id}/epics/${made.body.iid}`)
    expect([made.status, status, headers.get('deprecation')]).toEqual([201, 200, '@1715817600'])
    const ofEpics = w.running.app.declaredRoutes.filter(({ url }) =>
      url.startsWith('/api/v4/groups/:id/epics'),
    )
    expect(ofEpics.every(({ schema }) => schema.deprecated?.since === '2024-05-16')).toBe(true)
    expect(isMarked('GET /groups/{id}/epics')).toBe(true)
  })

  test('confidential parameter of notes', async () => {
    const p = await w.project()
    const issue = await p.planner.post(`/projects/${p.id}/issues`, { title: 'x' })
    const notes = `/projects/${p.id}/issues/${issue.body.iid}/notes`
    const made = async (given: object) => {
      const { body } = await p.planner.post(notes, { body: 'x', ...given })
      return [body.confidential, body.internal]
    }
    expect(await made({ confidential: true })).toEqual([true, true])
    expect(await made({ internal: true })).toEqual([true, true])
    expect(await made({ internal: false, confidential: true })).toEqual([false, false])
    const route = 'POST /projects/{id}/issues/{issue_iid}/notes'
    expect(marks(parameterOf, route, ['confidential', 'internal'])).toEqual([true, false])
    const listed = 'GET /projects/{id}/issues/{issue_iid}/notes'
    expect(marks(fieldOf, listed, ['confidential', 'internal'])).toEqual([true, false])
  })
})
