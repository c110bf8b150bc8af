import { expect, test } from 'vitest'
import { digestOf } from '#platform/access/digest.ts'
import { until } from '#test/until.ts'
import { unique, w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'
import { noteContact } from './note-contact.ts'
import { forInstance, forProject, madeRunner } from './test-support.ts'

const CONFIG = 'one: { script: x }\ntwo: { script: x }'

/** A pipeline whose jobs a runner has taken. */
async function taken() {
  const p = await projectWithCi(CONFIG)
  const runner = await madeRunner(p.maintainer, forProject(p.id, { description: 'Builder' }))
  const info = { version: '17.1.0', platform: 'linux' }
  const manager = await noteContact(w.running.services, runner.id, { systemId: 's_one', info })
  const { id: pipeline } = await p.create()
  for (const name of ['one', 'two']) {
    await p.start(pipeline, name)
    const { id } = await p.job(pipeline, name)
    await w.db
      .updateTable('ci_jobs')
      .set({ runner_id: runner.id, runner_manager_id: name === 'one' ? manager : null })
      .where('id', '=', id)
      .execute()
    await w.db
      .insertInto('ci_running_jobs')
      .values({
        job_id: id,
        runner_id: runner.id,
        token_digest: digestOf(unique('token')),
        contacted_at: new Date().toISOString(),
      })
      .execute()
  }
  return { ...p, pipeline, runner }
}

test('jobs name their runner and its manager', async () => {
  const p = await taken()
  const { id } = await p.job(p.pipeline, 'one')
  const { body } = await p.developer.get(`${p.base}/jobs/${id}`)
  expect(body.runner).toMatchObject({
    id: p.runner.id,
    description: 'Builder',
    status: 'online',
    job_execution_status: 'active',
    ip_address: '',
  })
  expect(body.runner_manager).toMatchObject({ system_id: 's_one', version: '17.1.0', platform: 'linux' })
  const listed = (await p.developer.get(`${p.base}/jobs`)).body as { name: string; runner_manager: unknown }[]
  expect(listed.find(({ name }) => name === 'two')).toMatchObject({
    runner: { id: p.runner.id },
    runner_manager: null,
  })
})

test('GET /runners/:id/jobs has the jobs of a runner in projects of the caller', async () => {
  const p = await taken()
  await p.finish(p.pipeline, 'two', 'failed')
  const path = `${p.runner.path}/jobs`
  const names = async (query = '') => {
    const { status, body } = await p.maintainer.get(path + query)
    expect([status, body.message ?? body.error]).toEqual([200, undefined])
    return body.map(({ name }: { name: string }) => name)
  }
  expect(await names()).toEqual(['two', 'one'])
  expect(await names('?order_by=id&sort=asc')).toEqual(['one', 'two'])
  expect(await names('?status=failed')).toEqual(['two'])
  expect(await names('?system_id=s_one')).toEqual(['one'])
  expect(await names('?system_id=s_other')).toEqual([])
  expect(await names('?pagination=keyset&per_page=1&order_by=id&sort=asc')).toEqual(['one'])
  const { body } = await p.maintainer.get(path)
  expect(body[0]).toMatchObject({
    status: 'failed',
    pipeline: { id: p.pipeline },
    project: { id: p.id, path_with_namespace: p.fullPath },
    web_url: expect.stringContaining(`${p.fullPath}/-/jobs/`),
  })
  expect(body[0]).not.toHaveProperty('runner')
  expect((await p.developer.get(path)).status).toBe(403)
  // A runner that serves two projects shows each maintainer the jobs of their own.
  const other = await w.project()
  await w.root.post(`/projects/${other.id}/runners`, { runner_id: p.runner.id })
  expect((await other.maintainer.get(path)).body).toEqual([])
  expect((await w.root.get(path)).body).toHaveLength(2)
  const shared = await madeRunner(w.root, forInstance())
  expect((await p.maintainer.get(`${shared.path}/jobs`)).status).toBe(403)
})

test('the jobs of a removed runner fail, and those that it ran before stay', async () => {
  const p = await taken()
  await p.finish(p.pipeline, 'two', 'success')
  expect((await p.maintainer.delete(p.runner.path)).status).toBe(204)
  await until(async () =>
    expect(await p.job(p.pipeline, 'one')).toMatchObject({
      status: 'failed',
      failure_reason: 'runner_system_failure',
    }),
  )
  expect(await p.job(p.pipeline, 'two')).toMatchObject({ status: 'success', runner: null })
})
