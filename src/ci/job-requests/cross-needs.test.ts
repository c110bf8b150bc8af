import { beforeAll, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'
import { runner } from './test-support.ts'

// Artifacts of other projects and pipelines.

const MADE = `
open: { script: x, artifacts: { paths: [out] } }
closed: { script: x, artifacts: { paths: [out], access: maintainer } }
`
let made: Awaited<ReturnType<typeof projectWithCi>>
let build: number
let pipeline: number
beforeAll(async () => {
  made = await projectWithCi(MADE)
  ;({ id: pipeline } = await made.create())
  const end = { status: 'success', artifacts: { 'out/x': 'made' } } as const
  build = await made.run(pipeline, 'open', end)
  await made.run(pipeline, 'closed', end)
})

/** A project whose job needs a job of the other one, and who starts it: a developer of both. */
async function needing(job: string) {
  const needs = [{ project: '$PLACE', job, ref: 'main', artifacts: true }]
  const p = await projectWithCi(JSON.stringify({ use: { script: 'x', needs } }))
  await w.member(made.namespaceId, p.developer, 30)
  const one = await runner({ project: p.id })
  const begin = () => p.create({ variables: [{ key: 'PLACE', value: made.fullPath }] })
  const letIn = async () =>
    expect(
      (await w.root.post(`${made.base}/job_token_scope/allowlist`, { target_project_id: p.id })).status,
    ).toBe(201)
  return { ...p, one, begin, letIn }
}

const lost = { status: 'failed', failure_reason: 'missing_dependency_failure' }

test('a job gets artifacts of a project that lets it in, as far as its person may have them', async () => {
  const p = await needing('open')
  const { id: refused } = await p.begin()
  expect((await p.one.ask()).status).toBe(204)
  expect(await p.job(refused, 'use')).toMatchObject(lost)

  await p.letIn()
  await p.begin()
  const job = await p.one.take()
  expect(job.json['dependencies']).toMatchObject([
    { id: build, name: 'open', token: job.token, artifacts_file: { filename: 'artifacts.zip' } },
  ])
  expect((await job.download(build)).status).toBe(200)
  await job.update('success')
  expect((await job.download(build)).status).toBe(403)

  await w.db
    .deleteFrom('members')
    .where('user_id', '=', p.developer.id)
    .where('namespace_id', '=', made.namespaceId)
    .execute()
  const { id: left } = await p.begin()
  expect((await p.one.ask()).status).toBe(204)
  expect(await p.job(left, 'use')).toMatchObject(lost)
})

test('and none that are for others there', async () => {
  const p = await needing('closed')
  await p.letIn()
  const { id } = await p.begin()
  expect((await p.one.ask()).status).toBe(204)
  expect(await p.job(id, 'use')).toMatchObject(lost)
  await w.db
    .updateTable('members')
    .set({ access_level: 40 })
    .where('user_id', '=', p.developer.id)
    .where('namespace_id', '=', made.namespaceId)
    .execute()
  await p.begin()
  expect((await p.one.take()).json['dependencies']).toMatchObject([{ name: 'closed' }])
})
