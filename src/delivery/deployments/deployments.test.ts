import { describe, expect, test } from 'vitest'
import { collide, deadlocks } from '#test/conflicts.ts'
import { openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'
import { deployedProject, deploymentOf, environmentOf } from '../test-support.ts'

const statusOf = async (path: string) => (await w.root.get(path)).body.status
const iids = (body: { iid: number }[]) => body.map(({ iid }) => iid)

describe('POST /projects/:id/deployments', () => {
  test('answers 201 with all fields of a deployment, and makes the environment', async () => {
    const place = await deployedProject()
    const sha = (await place.reporter.get(`${place.base}/repository/commits/main`)).body.id
    const wanted = { environment: 'qa/eu', sha, ref: 'main', tag: false, status: 'success' }
    const { status, body } = await place.developer.post(place.deployments, wanted)
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        iid: 1,
        ref: 'main',
        sha,
        created_at: expect.any(String),
        updated_at: body.created_at,
        user: expect.objectContaining({ id: place.developer.id, username: place.developer.username }),
        environment: {
          id: expect.any(Number),
          name: 'qa/eu',
          slug: expect.stringMatching(/^qa-eu-/),
          external_url: null,
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
        deployable: null,
        status: 'success',
        pending_approval_count: 0,
        approvals: [],
        approval_summary: { rules: [] },
      },
    ])
    const path = `${place.deployments}/${body.id}`
    expect((await place.reporter.get(path)).body).toEqual(body)
    expect((await place.reporter.get(place.deployments)).body).toEqual([body])
    expect((await place.reporter.get(`${place.environments}/${body.environment.id}`)).body).toMatchObject({
      tier: 'testing',
      state: 'available',
      last_deployment: { id: body.id },
    })
  })

  test('refuses what is missing, and a commit, branch or environment that cannot be', async () => {
    const place = await deployedProject()
    const whole = { environment: 'x', sha: 'main', ref: 'main', tag: false, status: 'running' }
    for (const name of Object.keys(whole)) {
      const { [name]: _, ...given } = whole as Record<string, unknown>
      const { status, body } = await place.developer.post(place.deployments, given)
      expect([status, body.error]).toEqual([400, `${name} is missing`])
    }
    const refusal = async (given: object) =>
      (await place.developer.post(place.deployments, { ...whole, ...given })).body.message
    expect(await refusal({ sha: '0'.repeat(40), ref: 'gone' })).toEqual({
      sha: ['The commit does not exist'],
      ref: ['The branch or tag does not exist'],
    })
    expect(await refusal({ environment: '/x' })).toEqual({ name: [expect.any(String)] })
    expect((await place.developer.post(place.deployments, { ...whole, status: 'blocked' })).status).toBe(400)
    const empty = await w.project()
    expect((await empty.developer.post(`/projects/${empty.id}/deployments`, whole)).status).toBe(400)
    expect((await place.reporter.get(place.environments)).body).toEqual([])
  })

  test('takes at least a Developer, in a project that is not archived', async () => {
    const place = await deployedProject()
    const whole = { environment: 'x', sha: 'main', ref: 'main', tag: false, status: 'running' }
    expect((await place.reporter.post(place.deployments, whole)).status).toBe(403)
    expect((await place.guest.get(place.deployments)).status).toBe(403)
    await place.owner.post(`${place.base}/archive`)
    expect((await place.developer.post(place.deployments, whole)).status).toBe(403)
  })
})

describe('the status of a deployment', () => {
  test('changes as programs tell it, and never to what it is', async () => {
    const place = await deployedProject()
    const { path } = await deploymentOf(place)
    const tell = async (status: string) => {
      const answer = await place.developer.put(path, { status })
      return answer.status === 200 ? answer.body.status : answer.body.message
    }
    const refused = (event: string) => ({ status: [`cannot transition via "${event}"`] })
    expect(await tell('running')).toEqual(refused('run'))
    expect(await tell('failed')).toBe('failed')
    expect(await tell('failed')).toEqual(refused('drop'))
    expect(await tell('running')).toEqual(refused('run'))
    expect(await tell('canceled')).toBe('canceled')
    expect(await tell('success')).toBe('success')
    expect(await tell('success')).toEqual(refused('succeed'))
    expect((await place.developer.put(path, {})).status).toBe(400)
    expect((await place.developer.put(path, { status: 'created' })).status).toBe(400)
    const since = { headers: { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' } }
    expect((await place.developer.send('PUT', path, { json: { status: 'failed' }, ...since })).status).toBe(
      412,
    )
  })

  test('is told by one of two who tell the same at once, and by both who tell different things', async () => {
    const place = await deployedProject()
    const same = await deploymentOf(place)
    const put = (path: string, status: string) => () => place.developer.put(path, { status })
    const before = await deadlocks()
    const [one, other] = await collide(put(same.path, 'success'), put(same.path, 'success'), before)
    const all = [...one, ...other].map(({ status }) => status)
    expect(all.filter((status) => status === 200)).toHaveLength(1)
    expect(all.filter((status) => status !== 200 && status !== 400)).toEqual([])
    expect(await deadlocks()).toBe(before)
  })
})

describe('GET /projects/:id/deployments', () => {
  test('filters by environment, status and time, and orders by what one asks for', async () => {
    const place = await deployedProject()
    await deploymentOf(place, { ref: 'main', status: 'success' })
    await deploymentOf(place, { environment: 'staging', ref: 'feature', sha: 'feature', status: 'failed' })
    await deploymentOf(place, { ref: 'clash', sha: 'clash' })
    await w.db
      .updateTable('deployments')
      .set({ updated_at: '2020-01-01T00:00:00Z', finished_at: '2020-01-01T00:00:00Z' })
      .where('project_id', '=', place.id)
      .where('iid', '=', 1)
      .execute()
    const list = async (query: string) =>
      iids((await place.reporter.get(`${place.deployments}?${query}`)).body)
    expect(await list('')).toEqual([1, 2, 3])
    expect(await list('sort=desc')).toEqual([3, 2, 1])
    expect(await list('order_by=iid&sort=desc&per_page=1&page=2')).toEqual([2])
    expect(await list('order_by=created_at&sort=desc')).toEqual([3, 2, 1])
    expect(await list('order_by=ref')).toEqual([3, 2, 1])
    expect(await list('order_by=updated_at')).toEqual([1, 2, 3])
    expect(await list('environment=production')).toEqual([1, 3])
    expect(await list('environment=prod')).toEqual([])
    expect(await list('status=failed')).toEqual([2])
    expect(await list('updated_before=2021-01-01')).toEqual([1])
    expect(await list('updated_after=2021-01-01&order_by=updated_at&sort=desc')).toEqual([3, 2])
    expect(await list('finished_before=2021-01-01&order_by=finished_at&status=success')).toEqual([1])
    expect(await list('finished_after=2021-01-01&order_by=finished_at&status=success')).toEqual([])
    const refused = async (query: string) => {
      const { status, body } = await place.reporter.get(`${place.deployments}?${query}`)
      return [status, body.message]
    }
    const text = (because: string) => [400, `400 Bad request - ${because}`]
    const paired = text('`finished_at` filter and `finished_at` sorting must be paired')
    expect(await refused('finished_after=2021-01-01')).toEqual(paired)
    expect(await refused('order_by=finished_at')).toEqual(paired)
    expect(await refused('finished_after=2021-01-01&order_by=finished_at')).toEqual(
      text('`finished_at` filter must be combined with `success` status filter.'),
    )
    expect((await refused('finished_after=2021-01-01&updated_after=2021-01-01'))[0]).toBe(400)
    for (const query of ['status=x', 'order_by=sha', 'updated_after=x'])
      expect((await refused(query))[0]).toBe(400)
  })

  test('costs the same statements for many as for one', async () => {
    const place = await deployedProject()
    await deploymentOf(place)
    const list = async () => void (await place.reporter.get(place.deployments))
    await list()
    const one = await w.statements(list)
    for (const environment of ['a', 'b', 'c']) await deploymentOf(place, { environment })
    expect(await w.statements(list)).toEqual(one)
  })
})

describe('DELETE /projects/:id/deployments/:deployment_id', () => {
  test('forgets all but what runs and what is deployed at present', async () => {
    const place = await deployedProject()
    const first = await deploymentOf(place, { status: 'success' })
    const last = await deploymentOf(place, { status: 'success' })
    const running = await deploymentOf(place)
    const refusal = async (path: string) => {
      const { status, body } = await place.maintainer.delete(path)
      return [status, body.message]
    }
    expect(await refusal(running.path)).toEqual([400, '400 Cannot destroy running deployment'])
    expect(await refusal(last.path)).toEqual([400, '400 Deployment currently deployed to environment'])
    expect((await place.developer.delete(first.path)).status).toBe(403)
    expect((await place.maintainer.delete(first.path)).status).toBe(204)
    expect((await place.maintainer.get(first.path)).status).toBe(404)
    expect((await place.maintainer.delete(first.path)).status).toBe(404)
    await place.developer.put(running.path, { status: 'canceled' })
    expect((await place.maintainer.delete(running.path)).status).toBe(204)
    expect((await deploymentOf(place)).iid).toBe(4)
  })
})

describe('GET /projects/:id/deployments/:deployment_id/merge_requests', () => {
  test('lists those that came since the last one that succeeded in the same environment', async () => {
    const place = await deployedProject()
    const shown = async (path: string, query = '') =>
      iids((await place.reporter.get(`${path}/merge_requests${query}`)).body)
    const merge = async (wanted: object = {}) => {
      const { path } = await openMergeRequest(place, place.maintainer, wanted)
      const { status, text } = await place.maintainer.put(`${path}/merge`)
      if (status !== 200) throw new Error(`${status}: ${text}`)
    }
    const before = await deploymentOf(place, { environment: 'staging', status: 'success' })
    await merge()
    const first = await deploymentOf(place, { status: 'success' })
    await expect.poll(() => shown(first.path)).toEqual([1])
    const failed = await deploymentOf(place, { status: 'failed' })
    const branch = { branch: 'more', start_branch: 'main', commit_message: 'More' }
    const files = { actions: [{ action: 'create', file_path: 'more.txt', content: 'more' }] }
    expect(
      (await place.developer.post(`${place.base}/repository/commits`, { ...branch, ...files })).status,
    ).toBe(201)
    await merge({ source_branch: 'more' })
    const second = await deploymentOf(place)
    expect(await shown(second.path)).toEqual([])
    await place.developer.put(second.path, { status: 'success' })
    await expect.poll(() => shown(second.path)).toEqual([2])
    const staged = await deploymentOf(place, { environment: 'staging', status: 'success' })
    await expect.poll(() => shown(staged.path)).toEqual([2, 1])
    expect([await shown(before.path), await shown(failed.path), await shown(first.path)]).toEqual([
      [],
      [],
      [1],
    ])
    expect(await shown(staged.path, '?sort=asc')).toEqual([1, 2])
    expect(await shown(staged.path, '?state=opened')).toEqual([])
    const listed = async (query: string) => iids((await place.reporter.get(`${place.path}?${query}`)).body)
    expect(await listed('environment=staging')).toEqual([2, 1])
    expect(await listed('environment=nowhere')).toEqual([])
    expect(await listed('deployed_after=2090-01-01')).toEqual([])
    expect(await listed('environment=production&deployed_before=2090-01-01')).toEqual([2, 1])
    await place.maintainer.put(place.base, { environments_access_level: 'disabled' })
    expect(await listed('environment=staging')).toEqual([])
  })

  test('has nothing of review apps', async () => {
    const place = await deployedProject()
    const { path } = await openMergeRequest(place, place.maintainer)
    await place.maintainer.put(`${path}/merge`)
    await deploymentOf(place, { environment: 'review/x', status: 'success' })
    const { path: later } = await deploymentOf(place, { environment: 'x', status: 'success' })
    const shown = async () => iids((await place.reporter.get(`${later}/merge_requests`)).body)
    await expect.poll(shown).toEqual([1])
    const first = (await place.reporter.get(`${place.deployments}?environment=review/x`)).body[0].id
    expect((await place.reporter.get(`${place.deployments}/${first}/merge_requests`)).body).toEqual([])
  })
})

describe('at once', () => {
  test('two deployments to the same new environment both come to it', async () => {
    const place = await deployedProject()
    const deploy = () =>
      place.developer.post(place.deployments, {
        environment: 'new',
        sha: 'main',
        ref: 'main',
        tag: false,
        status: 'success',
      })
    const before = await deadlocks()
    const answers = await Promise.all(Array.from({ length: 8 }, deploy))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201))
    expect(new Set(answers.map(({ body }) => body.environment.id)).size).toBe(1)
    expect(new Set(iids(answers.map(({ body }) => body)))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]))
    expect(await deadlocks()).toBe(before)
  })

  test('a deployment that succeeds, a stop and a deletion leave the environment available, stopped or gone', async () => {
    const place = await deployedProject()
    const { path } = await environmentOf(place)
    const running = await Promise.all(Array.from({ length: 4 }, () => deploymentOf(place)))
    const before = await deadlocks()
    const answers = await Promise.all(
      running.flatMap((deployment) => [
        place.developer.put(deployment.path, { status: 'success' }),
        place.developer.post(`${path}/stop`),
        place.developer.delete(path),
      ]),
    )
    for (const { status } of answers) expect([200, 204, 403, 404]).toContain(status)
    expect(await deadlocks()).toBe(before)
    const { status, body } = await place.reporter.get(path)
    expect([status, status === 200 ? body.state : null]).toEqual(
      status === 404 ? [404, null] : [200, expect.stringMatching(/^(available|stopped)$/)],
    )
    for (const deployment of running) {
      expect(await statusOf(deployment.path)).toBe(status === 404 ? undefined : 'success')
    }
  })
})
