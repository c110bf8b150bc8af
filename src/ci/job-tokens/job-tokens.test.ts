import { describe, expect, test } from 'vitest'
import { changeSettings } from '#platform/settings/change-settings.ts'
import { Client } from '#test/client.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'
import { newJobToken } from './job-token.ts'
import { CONFIG, jobClient, runningJob, tokenOfJob, withRunningJob } from './test-support.ts'

const nameOf = ({ fullPath }: { fullPath: string }) => fullPath.split('/').at(-1)

const basic = (username: string, password: string) =>
  new Client(w.url, {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  })

describe('a job proves itself by its token', () => {
  test('in a header, in a parameter, as a bearer and by HTTP Basic', async () => {
    const p = await runningJob()
    const statusOf = async (client: Client, path = '/job') => {
      const { status, body } = await client.get(path)
      return [status, body.id]
    }
    const found = [200, p.jobId]
    expect(await statusOf(p.client)).toEqual(found)
    expect(await statusOf(w.anonymous, `/job?job_token=${p.token}`)).toEqual(found)
    expect(await statusOf(new Client(w.url, { authorization: `Bearer ${p.token}` }))).toEqual(found)
    expect(await statusOf(basic('gitlab-ci-token', p.token))).toEqual(found)
    const inBody = await w.anonymous.put(`${p.base}/pipelines/${p.pipeline.id}/metadata`, {
      job_token: p.token,
      name: 'Nightly',
    })
    expect([inBody.status, inBody.body.name]).toEqual([200, 'Nightly'])

    const refused = [401, undefined]
    expect(await statusOf(basic('somebody', p.token))).toEqual(refused)
    expect(await statusOf(new Client(w.url, { 'private-token': p.token }))).toEqual(refused)
    expect(await statusOf(jobClient(p.developer.token))).toEqual(refused)
    expect(await statusOf(jobClient(newJobToken({ bytes: (count) => Buffer.alloc(count) }).secret))).toEqual(
      refused,
    )
    // Programs send a personal token under this name, too.
    expect((await basic('gitlab-ci-token', p.developer.token).get('/user')).body.id).toBe(p.developer.id)
  })

  test('GET /job answers as GET /projects/:id/jobs/:job_id does, and 404 to people', async () => {
    const p = await runningJob()
    const { body } = await p.client.get('/job')
    const asPerson = await p.developer.get(`${p.base}/jobs/${p.jobId}`)
    const { duration: _, ...job } = body
    const { duration: _duration, ...expected } = asPerson.body
    expect(job).toEqual(expected)
    const { status, body: refusal } = await p.developer.get('/job')
    expect([status, refusal]).toEqual([404, { message: '404 Job Not Found' }])
    expect((await w.anonymous.get('/job')).status).toBe(401)
  })

  test('and is worth nothing before its job runs and once it has ended', async () => {
    const p = await withRunningJob()
    const next = await p.create()
    const pending = jobClient(await tokenOfJob((await p.job(next.id, 'build')).id))
    expect((await pending.get('/job')).status).toBe(401)
    expect((await p.client.get('/job')).status).toBe(200)
    await p.finish(p.pipeline.id, 'build')
    const { status, body } = await p.client.get('/job')
    expect([status, body]).toEqual([401, { message: '401 Unauthorized' }])
  })

  test('and not when whoever started it is blocked or gone', async () => {
    const p = await withRunningJob()
    const set = (values: { state: 'blocked' | 'active' } | { deleted_at: string }) =>
      w.db.updateTable('users').set(values).where('id', '=', p.developer.id).execute()
    await set({ state: 'blocked' })
    const blocked = await p.client.get('/job')
    expect([blocked.status, blocked.body.message]).toEqual([
      403,
      '403 Forbidden - Your account has been blocked.',
    ])
    await set({ state: 'active' })
    expect((await p.client.get('/job')).status).toBe(200)
    await set({ deleted_at: new Date().toISOString() })
    expect((await p.client.get('/job')).status).toBe(401)
  })
})

describe('what a job reaches', () => {
  test('other endpoints refuse its token, also where nobody needs one', async () => {
    const p = await runningJob()
    const answer = { message: '401 Unauthorized - this endpoint does not accept job tokens' }
    for (const path of ['/user', p.base, `${p.base}/jobs/${p.jobId}`, `${p.base}/pipelines/latest`]) {
      const { status, body } = await p.client.get(path)
      expect([path, status, body]).toEqual([path, 401, answer])
    }
    const { status, body } = await p.client.get(`/job?sudo=${p.maintainer.id}`)
    expect([status, body.message]).toEqual([403, '403 Forbidden - Must be admin to use sudo'])
  })

  test('a good token at the wrong endpoint is not counted as somebody’s guess', async () => {
    const { failedAuthentications, settingsView } = w.running.services
    const p = await runningJob()
    const limit = async (points: number) => {
      await w.write((tx) => changeSettings(tx, { failed_authentication_limit: points }))
      await settingsView.reload()
    }
    await limit(3)
    try {
      for (let times = 0; times < 5; times += 1) expect((await p.client.get('/user')).status).toBe(401)
      expect((await jobClient('wrong').get('/job')).status).toBe(401)
    } finally {
      await limit(0)
      failedAuthentications.forget()
    }
  })

  test('it has the rights of whoever started the job, and no more', async () => {
    const p = await withRunningJob()
    expect((await p.client.get(`${p.base}/repository/branches`)).body[0].name).toBe('main')
    const raw = await p.client.get(`${p.base}/repository/files/.gitlab-ci.yml/raw`)
    expect([raw.status, raw.text]).toEqual([200, CONFIG])
    const made = await p.client.post(`${p.base}/environments`, { name: 'prod' })
    expect(made.status).toBe(201)
    // Deleting deployments takes a maintainer.
    expect((await p.client.delete(`${p.base}/deployments/1`)).status).toBe(403)
    await w.db
      .deleteFrom('members')
      .where('user_id', '=', p.developer.id)
      .where('namespace_id', '=', p.namespaceId)
      .execute()
    expect((await p.client.get(`${p.base}/repository/branches`)).status).toBe(404)
  })
})

test('notes on merge requests show a job what its project may see', async () => {
  const p = await withRunningJob()
  await p.developer.post(`${p.base}/repository/branches`, { branch: 'other', ref: 'main' })
  const { body } = await p.developer.post(`${p.base}/merge_requests`, {
    title: 'Change it',
    source_branch: 'other',
    target_branch: 'main',
  })
  const path = `${p.base}/merge_requests/${body.iid}`
  const { body: note } = await p.developer.post(`${path}/notes`, { body: 'Well done', internal: true })
  // An issue elsewhere that whoever started the job may see.
  const other = await w.project()
  await w.member(other.namespaceId, p.developer, 40)
  await p.developer.post(`/projects/${other.id}/issues`, {
    title: 'Elsewhere',
    description: `See ${p.fullPath}!${body.iid}`,
  })
  const bodies = async (client: Client) =>
    (await client.get(`${path}/notes`)).body.map((one: { body: string }) => one.body)
  await until(async () =>
    expect((await bodies(p.developer)).some((text: string) => text.includes(other.fullPath))).toBe(true),
  )
  expect(await bodies(p.client)).toEqual(['Well done'])
  expect((await p.client.get(`${path}/notes/${note.id}`)).body.body).toBe('Well done')
  expect((await p.client.post(`${path}/notes`, { body: 'x' })).status).toBe(401)
  expect((await p.client.get(`${path}/discussions`)).status).toBe(401)
})

describe('the projects of others', () => {
  const answerOf = async (client: Client, { id }: { readonly id: number }) => {
    const { status, body } = await client.get(`/projects/${id}/repository/branches`)
    return status === 200 ? 200 : [status, body.message]
  }

  test('do not let a job in unless they say so, whatever its person may do', async () => {
    const [p, other, stranger] = [await runningJob(), await w.project(), await w.project()]
    await w.member(other.namespaceId, p.developer, 40)
    expect(await answerOf(p.client, other)).toEqual([
      403,
      `403 Forbidden - Authentication by CI/CD job token not allowed from ${nameOf(p)} to ${nameOf(other)}.`,
    ])
    // Nobody learns of a project that they may not see.
    expect(await answerOf(p.client, stranger)).toEqual([404, '404 Project Not Found'])
  })

  test('let it read what everybody may, where they are public', async () => {
    const [p, other] = [await runningJob(), await w.project({ visibility: 'public' })]
    await w.member(other.namespaceId, p.developer, 40)
    expect(await answerOf(p.client, other)).toBe(200)
    expect((await p.client.post(`/projects/${other.id}/environments`, { name: 'prod' })).status).toBe(403)
    expect((await p.client.get(`/projects/${other.id}/secure_files`)).status).toBe(403)
    // What its person alone may see is not for the job.
    const open = await other.maintainer.post(`/projects/${other.id}/issues`, { title: 'Open' })
    const own = await p.developer.post(`/projects/${other.id}/issues`, { title: 'Own', confidential: true })
    expect([open.status, own.status]).toEqual([201, 201])
    const listed = await p.client.get(`/projects/${other.id}/issues`)
    expect(listed.body.map(({ title }: { title: string }) => title)).toEqual(['Open'])
    expect((await p.client.get(`/projects/${other.id}/issues/${open.body.iid}`)).status).toBe(200)
    expect((await p.client.get(`/projects/${other.id}/issues/${own.body.iid}`)).status).toBe(404)
  })
})

test('the job of an administrator is one where it is let in, and nowhere else', async () => {
  const p = await projectWithCi(CONFIG)
  const other = await w.project()
  const { body: pipeline } = await p.admin.post(`${p.base}/pipeline`, { ref: 'main' })
  await p.start(pipeline.id, 'build')
  const client = jobClient(await tokenOfJob((await p.job(pipeline.id, 'build')).id))
  expect((await client.get(`${p.base}/secure_files`)).status).toBe(200)
  expect((await client.get(`/projects/${other.id}/secure_files`)).status).toBe(403)
})
