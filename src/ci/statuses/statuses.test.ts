import { describe, expect, test } from 'vitest'
import { commits, giveSample, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'

async function sample() {
  const project = await w.project()
  const { row } = await giveSample(project)
  const sha = row.last_commit_sha ?? ''
  const path = `/projects/${project.id}/statuses/${sha}`
  return { ...project, sha, path, list: `/projects/${project.id}/repository/commits/${sha}/statuses` }
}

describe('POST /projects/:id/statuses/:sha', () => {
  test('says how a check went', async () => {
    const { developer, path, sha, list, reporter } = await sample()
    const { status, body } = await developer.post(path, {
      state: 'running',
      name: 'build',
      target_url: 'https://ci.example.com/1',
      description: 'Compiles',
      coverage: 81.5,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      sha,
      ref: 'main',
      status: 'running',
      name: 'build',
      target_url: 'https://ci.example.com/1',
      description: 'Compiles',
      created_at: expect.stringMatching(/Z$/),
      started_at: body.created_at,
      finished_at: null,
      allow_failure: false,
      coverage: 81.5,
      pipeline_id: expect.any(Number),
      author: expect.objectContaining({ id: developer.id, username: developer.username }),
    })
    const { body: done } = await developer.post(path, { state: 'success', name: 'build' })
    expect(done).toMatchObject({ id: body.id, status: 'success', description: 'Compiles', coverage: 81.5 })
    expect(done.finished_at).not.toBeNull()
    expect((await reporter.get(list)).body).toEqual([done])
  })

  test('a check that runs again takes the place of the old one', async () => {
    const { developer, path, list } = await sample()
    const { body: first } = await developer.post(path, { state: 'failed', context: 'ci/test' })
    const { body: second } = await developer.post(path, { state: 'pending', name: 'ci/test' })
    expect(second).toMatchObject({ name: 'ci/test', pipeline_id: first.pipeline_id })
    expect(second.id).not.toBe(first.id)
    const ids = async (query = '') =>
      (await developer.get(`${list}${query}`)).body.map(({ id }: { id: number }) => id)
    expect(await ids()).toEqual([second.id])
    expect(await ids('?all=true')).toEqual([first.id, second.id])
    expect(await ids('?all=true&sort=desc')).toEqual([second.id, first.id])
    expect(await ids('?all=true&per_page=1&page=2')).toEqual([second.id])
  })

  test('many at once give one current status for each name', async () => {
    const { developer, path, list } = await sample()
    const all = Array.from({ length: 12 }, (_, index) =>
      developer.post(path, { state: index % 2 === 0 ? 'success' : 'running', name: `check ${index % 3}` }),
    )
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 201))
    const { body } = await developer.get(list)
    expect(body.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      'check 0',
      'check 1',
      'check 2',
    ])
    expect(new Set(body.map((one: { pipeline_id: number }) => one.pipeline_id)).size).toBe(1)
  })

  test('statuses of another branch belong to another pipeline, unless they say otherwise', async () => {
    const { id, developer, path, list, sha } = await sample()
    await importInto({ id }, `reset refs/heads/other\nfrom ${sha}\n\n`)
    const { body: main } = await developer.post(path, { state: 'success' })
    const { body: other } = await developer.post(path, { state: 'failed', ref: 'refs/heads/other' })
    expect(other).toMatchObject({ ref: 'other', name: 'default' })
    expect(other.pipeline_id).not.toBe(main.pipeline_id)
    const named = await developer.post(path, { state: 'failed', name: 'x', pipeline_id: main.pipeline_id })
    expect(named.body.pipeline_id).toBe(main.pipeline_id)
    const count = async (query: string) => (await developer.get(`${list}?${query}`)).body.length
    expect(await count('ref=other')).toBe(1)
    expect(await count('name=x')).toBe(1)
    expect(await count('stage=external')).toBe(3)
    expect(await count('stage=build')).toBe(0)
    expect(await count(`pipeline_id=${main.pipeline_id}`)).toBe(2)
    expect(await count('order_by=pipeline_id')).toBe(3)
    const missing = await developer.post(path, { state: 'success', pipeline_id: 999_999_999 })
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Pipeline Not Found' }])
  })

  test('the commit shows them together', async () => {
    const { id, developer, path, sha } = await sample()
    const together = async () =>
      (await developer.get(`/projects/${id}/repository/commits/${sha}`)).body.status
    const set = (name: string, state: string) => developer.post(path, { name, state })
    expect(await together()).toBeNull()
    await set('a', 'success')
    expect(await together()).toBe('success')
    await set('b', 'pending')
    expect(await together()).toBe('running')
    await set('b', 'failed')
    expect(await together()).toBe('failed')
    await set('b', 'skipped')
    expect(await together()).toBe('success')
    const { body } = await developer.get(`/projects/${id}/repository/commits/${sha}`)
    expect(body.last_pipeline).toMatchObject({ sha, ref: 'main', source: 'external', status: 'success' })
    expect((await developer.get(`/projects/${id}/pipelines`)).body).toHaveLength(1)
  })

  test('a commit of no branch needs a ref', async () => {
    const { id, developer } = await w.project()
    const repository = await importInto({ id }, commits({ files: { a: '1' } }, { files: { a: '2' } }))
    const sha = repository.row.last_commit_sha
    await importInto({ id }, `reset refs/tags/v1\nfrom ${sha}\n\nreset refs/heads/main\nfrom ${sha}~1\n\n`)
    const path = `/projects/${id}/statuses/${sha}`
    const { status, body } = await developer.post(path, { state: 'success' })
    expect([status, body]).toEqual([404, { message: '404 References for commit Not Found' }])
    expect((await developer.post(path, { state: 'success', ref: 'v1' })).body.ref).toBe('v1')
  })

  test('refuses what cannot be', async () => {
    const { id, developer, path } = await sample()
    const error = async (body: object) => {
      const answer = await developer.post(path, body)
      return [answer.status, answer.body.error ?? answer.body.message]
    }
    expect(await error({})).toEqual([400, 'state is missing'])
    expect(await error({ state: 'done' })).toEqual([400, 'state does not have a valid value'])
    expect((await error({ state: 'success', coverage: 101 }))[0]).toBe(400)
    expect((await error({ state: 'success', coverage: 'x' }))[0]).toBe(400)
    expect((await error({ state: 'success', name: 'x'.repeat(256) }))[0]).toBe(400)
    expect(await error({ state: 'success', target_url: 'javascript:alert(1)' })).toEqual([
      400,
      { target_url: ['is blocked: Only allowed schemes are http, https'] },
    ])
    const missing = await developer.post(`/projects/${id}/statuses/${'1'.repeat(40)}`, { state: 'success' })
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Commit Not Found' }])
  })
})
