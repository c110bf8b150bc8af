import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startForgelet } from 'forgelet/testing'
import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { transact } from '#platform/db/transaction.ts'
import { ownKey } from '#administration/licenses/keys.ts'
import { signLicense } from '#administration/licenses/license-string.ts'
import { lockNode } from '#identity/namespaces/lock.ts'
import { deleteSubtree } from '#identity/namespaces/remove-subtree.ts'
import { createProject } from '#tenancy/projects/create-project.ts'
import { changeSettings } from '#platform/settings/change-settings.ts'
import { startResettable } from '#program/testing/start.ts'
import { fetched, formWith, png } from '#tenancy/avatars/test-support.ts'
import { Client } from '#test/client.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { plainEnvironment } from '#test/environment.ts'
import { newDatabase } from '#test/new-database.ts'
import { tree } from '#test/tree.ts'
import { folder } from './forgelet.ts'

describe('startForgelet', () => {
  test('gives servers of their own with the administrator in them, gone when stopped', async () => {
    const clock = { now: () => new Date('2031-02-03T04:05:06.789Z') }
    const [one, two] = await Promise.all([
      startForgelet({ clock, plan: 'ultimate' }),
      startForgelet({ rootToken: 'glpat-a-token-of-our-choice', settings: { user_default_external: true } }),
    ])
    expect(two.rootToken).toBe('glpat-a-token-of-our-choice')
    for (const { url, rootToken, reset } of [one, two]) {
      await reset()
      const answer = await new Client(url, { 'private-token': rootToken }).get('/projects/1/labels')
      expect(answer.body).toEqual({ message: '404 Project Not Found' })
      expect((await new Client(url, { 'private-token': 'wrong' }).get('/projects/1/labels')).status).toBe(401)
    }
    const planOf = async ({ url, rootToken }: typeof one) =>
      (await new Client(url, { 'private-token': rootToken }).get('/namespaces/root')).body.plan
    expect([await planOf(one), await planOf(two)]).toEqual(['ultimate', 'free'])
    const licenseOf = async ({ url, rootToken }: typeof one) =>
      (await new Client(url, { 'private-token': rootToken }).get('/license')).body
    expect([await licenseOf(one), await licenseOf(two)]).toMatchObject([
      { id: 1, plan: 'ultimate', expired: false, user_limit: 0 },
      null,
    ])
    await Promise.all([one.stop(), two.stop()])
    await expect(fetch(one.url)).rejects.toThrow('fetch failed')
  }, 180_000)
})

test('a test lets the jobs of its server end', async () => {
  const { url, rootToken, runJob, stop } = await startForgelet()
  try {
    const own = new Client(url, { 'private-token': rootToken })
    await own.post('/projects', { name: 'shop' })
    const file = { branch: 'main', commit_message: 'Build', content: 'build: { script: make }' }
    await own.post('/projects/1/repository/files/.gitlab-ci.yml', file)
    const { body: pipeline } = await own.post('/projects/1/pipeline', { ref: 'main' })
    const jobs = `/projects/1/pipelines/${pipeline.id}/jobs`
    const [{ id }] = (await own.get(jobs)).body
    await runJob(id, { status: 'success', log: 'made', artifacts: { 'shop.txt': 'shop' } })
    expect((await own.get(jobs)).body).toMatchObject([{ id, status: 'success' }])
    await expect(runJob(id, { status: 'failed' })).rejects.toThrow('The job is success')
  } finally {
    await stop()
  }
}, 180_000)

const { running, reset, stop } = await startResettable({
  config: readConfig({ FORGELET_PORT: '0', FORGELET_SECRET_KEY: 'the master key of the tests, long enough' }),
  log: pino({ level: 'fatal' }),
  address: await newDatabase(),
  settings: { personal_access_token_prefix: 'test-' },
})
const { services } = running
const root = new Client(running.url, { 'private-token': ROOT_TOKEN })

/** A project with a label; the ids of both. */
async function makeLabel(): Promise<[number, number]> {
  const project = await transact(services, { author: { id: 1, username: 'root' }, ip: null }, (tx) =>
    createProject(tx, { name: 'p', path: 'p', visibility: 'public', parentId: 1 }),
  )
  const { status, body } = await root.post(`/projects/${project.id}/labels`, { name: 'bug', color: 'red' })
  expect(status).toBe(201)
  return [project.id, body.id]
}

test('a reset of a server of its own removes uploaded files, too', async () => {
  const { url, rootToken, reset, stop } = await startForgelet()
  try {
    const own = new Client(url, { 'private-token': rootToken })
    const upload = async () => {
      const { status, body } = await own.send('PUT', '/user/avatar', { form: formWith(await png()) })
      expect(status).toBe(200)
      return (await fetched(own, body.avatar_url)).status
    }
    expect(await upload()).toBe(200)
    await reset()
    expect((await own.get('/user')).body.avatar_url).toBe(null)
    expect(await upload()).toBe(200)
  } finally {
    await stop()
  }
}, 180_000)

describe('reset', () => {
  afterAll(stop)
  beforeEach(reset)

  test.each([1, 2])('makes rows, ids and settings as they were, round %i', async () => {
    expect(await makeLabel()).toEqual([1, 1])
    await transact(services, { author: null, ip: null }, (tx) =>
      changeSettings(tx, { personal_access_token_prefix: 'other-' }),
    )
    await services.settingsView.reload()
    await reset()
    expect(services.settings().personal_access_token_prefix).toBe('test-')
    expect((await root.get('/projects/1/labels')).status).toBe(404)
    expect(await makeLabel()).toEqual([1, 1])
  })

  test('drops jobs that wait and outlasts those that run', async () => {
    const [id] = await makeLabel()
    const { project_namespace_id } = await services.db
      .selectFrom('projects')
      .select('project_namespace_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await transact(services, { author: null, ip: null }, async (tx) =>
      deleteSubtree(tx, await lockNode(tx, project_namespace_id)),
    )
    await reset()
    const { rows } = await services.pool.query('select 1 from graphile_worker._private_jobs')
    expect(rows).toEqual([])
    expect(await makeLabel()).toEqual([1, 1])
  })

  test('forgets what was counted against limits', async () => {
    const once = () => services.limits.take('test', 1, { points: 1, seconds: 60 })
    await once()
    await expect(once()).rejects.toMatchObject({ kind: 'too often' })
    await reset()
    await once()
  })

  test('takes licenses away', async () => {
    const [starts_at, expires_at] = ['2020-01-01', '2999-01-01']
    const licensee = { Name: 'x', Email: 'x', Company: 'x' }
    const terms = {
      jti: 'x',
      plan: 'premium',
      starts_at,
      expires_at,
      users: 0,
      licensee,
      add_ons: {},
    } as const
    const license = await signLicense(terms, await ownKey(services.secrets))
    expect((await root.post('/license', { license })).status).toBe(201)
    expect(services.currentPlan()).toBe('premium')
    await reset()
    expect(services.currentPlan()).toBe('free')
    expect((await root.get('/license')).body).toBeNull()
  })

  test('keeps what it must: secrets of the instance, and who root is', async () => {
    const secret = await services.secrets.namedSecret('for this test', () => Buffer.from('made once'))
    await reset()
    expect(await services.secrets.namedSecret('for this test', () => Buffer.from('again'))).toEqual(secret)
    const users = await services.db.selectFrom('users').select(['id', 'username']).orderBy('id').execute()
    expect(users).toEqual([
      { id: 1, username: 'root' },
      { id: 2, username: 'ghost' },
    ])
  })
})

test('forgelet/testing of a checkout is the built program, which a runner of tests need not transform', async () => {
  const elsewhere = folder()
  mkdirSync(join(elsewhere, 'node_modules'))
  for (const [name, to] of [
    ['forgelet', tree],
    ['vitest', join(tree, 'node_modules/vitest')],
  ] as const)
    symlinkSync(to, join(elsewhere, 'node_modules', name))
  writeFileSync(join(elsewhere, 'package.json'), '{"type":"module"}')
  const transformed = join(elsewhere, 'transformed.txt')
  writeFileSync(
    join(elsewhere, 'vitest.config.ts'),
    `import { appendFileSync } from 'node:fs'
     export default { plugins: [{ name: 'seen', transform: (_: string, id: string) =>
       appendFileSync('${transformed}', id + '\\n') }] }`,
  )
  writeFileSync(
    join(elsewhere, 'a.test.ts'),
    `import { expect, test } from 'vitest'
     import { startForgelet } from 'forgelet/testing'
     import { startForgelet as byPath } from '${join(tree, 'scripts/testing.js')}'
     test('it serves', async () => {
       expect(byPath).toBe(startForgelet)
       const { url, stop } = await startForgelet()
       expect((await fetch(url + '/-/liveness')).status).toBe(200)
       await stop()
     }, 180_000)`,
  )
  const vitest = join(tree, 'node_modules/vitest/vitest.mjs')
  const env = { ...plainEnvironment(), NO_COLOR: '1' }
  const { stdout } = await promisify(execFile)(process.execPath, [vitest, 'run'], { cwd: elsewhere, env })
  expect(stdout).toMatch(/Tests +1 passed/)
  const ours = readFileSync(transformed, 'utf8')
    .split('\n')
    .filter((id) => id.startsWith(tree))
  expect(ours.filter((id) => !id.startsWith(join(tree, 'scripts/')))).toEqual([])
  expect(ours.length).toBeLessThan(10)
}, 180_000)
