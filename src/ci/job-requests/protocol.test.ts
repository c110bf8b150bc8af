import { expect, test } from 'vitest'
import { zipOf } from '../artifacts/zip.ts'
import { projectWithCi } from '../test-support.ts'
import { runner } from './test-support.ts'

test('a runner gets a job, writes its log, uploads what it made, and ends it', async () => {
  const p = await projectWithCi(`
build: { stage: build, script: [make, make check], artifacts: { paths: [out/] }, variables: { GREETING: "hello $CI_PROJECT_PATH" } }
deploy: { stage: deploy, script: deploy }
`)
  const { id: pipeline } = await p.create()
  const one = await runner({ project: p.id })
  const build = await one.take()
  expect(build.variables).toMatchObject({
    GREETING: `hello ${p.fullPath}`,
    CI_JOB_NAME: 'build',
    CI_JOB_TOKEN: build.token,
  })
  expect(await p.statuses(pipeline)).toEqual({ build: 'running', deploy: 'created' })

  const traced = await build.trace('line one\n')
  expect([traced.status, traced.headers.get('range'), traced.headers.get('job-status')]).toEqual([
    202,
    '0-9',
    'running',
  ])
  const zip = Buffer.from(await zipOf({ 'out/x': 'made' }))
  expect(
    (await build.upload(zip, { artifact_format: 'zip', artifact_type: 'archive', expire_in: '1 week' }))
      .status,
  ).toBe(201)
  const done = await build.update('success')
  expect([done.status, done.headers.get('job-status')]).toEqual([200, 'success'])
  expect((await one.ask({ info: { features: {} } })).status).toBe(201)
  expect(await p.statuses(pipeline)).toEqual({ build: 'success', deploy: 'running' })
  expect((await p.developer.get(`${p.base}/jobs/${build.id}/trace`)).text).toBe('line one\n')
})
