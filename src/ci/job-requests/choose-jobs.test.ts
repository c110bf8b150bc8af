import { sql } from 'kysely'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import { until } from '#test/until.ts'
import { unique, w } from '#test/world.ts'
import { runner, type TestRunner } from './test-support.ts'

// Which jobs a runner gets, and which one first. The pipelines of a test are in a group of its own.

const CONFIG = (tag: string) => `
plain: { script: x, rules: [{ if: '$T =~ /plain/' }] }
tagged: { script: x, tags: [a, b], rules: [{ if: '$T =~ /tagged/' }] }
everywhere: { script: x, tags: [${tag}], rules: [{ if: '$T =~ /everywhere/' }] }
bridge: { trigger: { include: other.yml }, rules: [{ if: '$T =~ /bridge/' }] }
`
const tag = unique('everywhere')

async function projectIn(parent: number) {
  const project = await w.project({ parent })
  await importInto(project, commits({ message: 'Begin', files: { '.gitlab-ci.yml': CONFIG(tag) } }))
  const base = `/projects/${project.id}`
  const create = async (t: string, ref = 'main') => {
    const { status, body } = await project.maintainer.post(`${base}/pipeline`, {
      ref,
      variables: [{ key: 'T', value: t }],
    })
    expect([status, body.message]).toEqual([201, undefined])
    return body.id as number
  }
  return { ...project, base, create }
}

let group: Awaited<ReturnType<typeof w.group>>
let p: Awaited<ReturnType<typeof projectIn>>
let q: Awaited<ReturnType<typeof projectIn>>
beforeAll(async () => {
  group = await w.group()
  p = await projectIn(group.id)
  q = await projectIn(group.id)
})

/** The job that a runner gets, as `PROJECT JOB`; undefined for none. */
async function next(one: TestRunner): Promise<string | undefined> {
  const { status, body } = await one.ask()
  expect([201, 204]).toContain(status)
  if (status === 204) return undefined
  return `${body.job_info.project_id === p.id ? 'p' : body.job_info.project_id === q.id ? 'q' : '?'} ${body.job_info.name}`
}

/** A runner that just found nothing hears of new jobs a moment after they were made. */
const expectSoon = (one: TestRunner, job: string): Promise<void> =>
  until(async () => expect(await next(one)).toBe(job))

/** Ends what is left, so that tests do not meet. */
afterEach(async () => {
  const ids = [p.id, q.id]
  await w.db
    .updateTable('ci_jobs')
    .set({ status: 'canceled' })
    .where('project_id', 'in', ids)
    .where('status', 'in', ['created', 'pending', 'running'])
    .execute()
  await sql`delete from ci_running_jobs r using ci_jobs j where j.id = r.job_id and j.project_id = any(${ids}::bigint[])`.execute(
    w.db,
  )
})

describe('a runner gets', () => {
  test('jobs all of whose tags are its own, and without tags only if it wants them', async () => {
    await p.create('plain tagged')
    const some = await runner({ project: p.id, tags: ['a', 'c'], untagged: false })
    const both = await runner({ project: p.id, tags: ['a', 'b', 'c'], untagged: false })
    const plain = await runner({ project: p.id })
    expect([await next(some), await next(both), await next(both)]).toEqual([undefined, 'p tagged', undefined])
    expect([await next(plain), await next(plain)]).toEqual(['p plain', undefined])
  })

  test('jobs of its projects, or below its group, or where runners of the instance may', async () => {
    await p.create('everywhere')
    const options = { tags: [tag], untagged: false }
    const others = [
      await runner({ project: q.id, ...options }),
      await runner({ group: (await w.group()).id, ...options }),
    ]
    for (const one of others) expect(await next(one)).toBeUndefined()
    await p.owner.put(p.base, { shared_runners_enabled: false })
    const instance = await runner(options)
    expect(await next(instance)).toBeUndefined()
    const ofGroup = await runner({ group: group.id, ...options })
    expect(await next(ofGroup)).toBe('p everywhere')
    await q.create('everywhere')
    await expectSoon(instance, 'q everywhere')
    await p.owner.put(p.base, { shared_runners_enabled: true })
  })

  test('jobs of protected branches alone where it is for those, and no bridges', async () => {
    await p.maintainer.post(`${p.base}/repository/branches`, { branch: 'open', ref: 'main' })
    await p.maintainer.post(`${p.base}/protected_branches`, { name: 'main' })
    await p.create('plain bridge', 'open')
    const careful = await runner({ project: p.id, protected: true })
    expect(await next(careful)).toBeUndefined()
    await p.create('plain')
    await expectSoon(careful, 'p plain')
    expect(await next(careful)).toBeUndefined()
  })

  test('the oldest job of the project with the fewest that run', async () => {
    for (const one of [p, p, p, q, q]) await one.create('plain')
    const one = await runner({ group: group.id })
    const got: (string | undefined)[] = []
    for (let n = 0; n < 6; n += 1) got.push(await next(one))
    expect(got).toEqual(['p plain', 'q plain', 'p plain', 'q plain', 'p plain', undefined])
  })

  test('nothing while it is paused, and no answer with a token that is none, has expired or is of a deleted runner', async () => {
    await p.create('plain')
    const one = await runner({ project: p.id })
    const change = (values: object) =>
      w.db.updateTable('ci_runners').set(values).where('id', '=', one.id).execute()
    await change({ paused: true })
    expect(await next(one)).toBeUndefined()
    await change({ paused: false, token_expires_at: w.clock.now().toISOString() })
    expect(await one.ask()).toMatchObject({ status: 403, body: { message: '403 Forbidden - invalid token' } })
    await change({ token_expires_at: null })
    expect(await one.ask({ token: 'glrt-wrong' })).toMatchObject({ status: 403 })
    await w.db.deleteFrom('ci_runners').where('id', '=', one.id).execute()
    expect(await one.ask()).toMatchObject({ status: 403 })
    expect(await one.ask({ token: undefined })).toMatchObject({ status: 400 })
  })

  test('each job once, however many ask at one moment', async () => {
    for (let n = 0; n < 4; n += 1) await p.create('plain')
    const many = await Promise.all(Array.from({ length: 8 }, () => runner({ project: p.id })))
    const answers = await Promise.all(many.map((one) => one.ask()))
    const ids = answers.flatMap(({ status, body }) => (status === 201 ? [body.id] : []))
    expect([ids.length, new Set(ids).size]).toEqual([4, 4])
  })

  test('the same job again where it asks by the name of a request whose answer was lost', async () => {
    await p.create('plain')
    const one = await runner({ project: p.id })
    const lost = (await one.ask({ request_id: 'r1' })).body
    expect((await one.ask({ request_id: 'r2' })).status).toBe(204)
    const again = await one.take({ request_id: 'r1' })
    expect([again.id, again.token === lost.token]).toEqual([lost.id, false])
    expect((await again.update('success')).status).toBe(200)
  })
})
