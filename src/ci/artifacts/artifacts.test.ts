import { expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'
import { expireArtifacts } from './expire-artifacts.ts'

const CONFIG = 'build: { script: x, coverage: "/Lines: [0-9.]+%/" }\nother: { script: x }'
const LONG = 'A line of a long file.\n'.repeat(5_000)
const FILES = {
  'out/report.txt': 'All is well.',
  'out/deep/index.html': '<p>Hello</p>',
  empty: '',
  long: LONG,
}

async function built(config = CONFIG) {
  const p = await projectWithCi(config)
  const { id } = await p.create()
  const job = await p.run(id, 'build', {
    status: 'success',
    log: 'Working\nLines: 81.25% of all\nDone\n',
    artifacts: FILES,
    reports: { junit: '<testsuites/>' },
  })
  return { ...p, pipeline: id, build: job, path: `${p.base}/jobs/${job}` }
}

test('a job shows its artifacts, its coverage and its log', async () => {
  const p = await built()
  const { body } = await p.reporter.get(p.path)
  expect(body).toMatchObject({
    status: 'success',
    coverage: 81.25,
    artifacts_file: { filename: 'artifacts.zip', size: expect.any(Number) },
    artifacts: expect.arrayContaining([
      { file_type: 'archive', size: expect.any(Number), filename: 'artifacts.zip', file_format: 'zip' },
      { file_type: 'junit', size: 13, filename: 'junit.xml', file_format: 'raw' },
    ]),
    artifacts_expire_at: expect.any(String),
  })
  const trace = () => p.reporter.get(`${p.path}/trace`)
  expect((await trace()).text).toBe('Working\nLines: 81.25% of all\nDone\n')
  await until(async () =>
    expect(
      (await p.reporter.get(p.path)).body.artifacts.map((one: { file_type: string }) => one.file_type),
    ).toContain('trace'),
  )
  const { status, text, headers } = await trace()
  expect([status, text, headers.get('content-type')]).toEqual([
    200,
    'Working\nLines: 81.25% of all\nDone\n',
    'text/plain; charset=utf-8',
  ])
  const { id: other } = await p.job(p.pipeline, 'other')
  const empty = await p.reporter.get(`${p.base}/jobs/${other}/trace`)
  expect([empty.status, empty.text]).toEqual([200, ''])
  const { body: project } = await p.owner.get(`${p.base}?statistics=true`)
  expect(project.statistics.job_artifacts_size).toBeGreaterThan(100)
})

test('archives are downloaded whole, and files out of them', async () => {
  const p = await built()
  const whole = await p.reporter.get(`${p.path}/artifacts`)
  expect([whole.status, whole.headers.get('content-type'), whole.text.slice(0, 2)]).toEqual([
    200,
    'application/zip',
    'PK',
  ])
  const file = await p.reporter.get(`${p.path}/artifacts/out/report.txt`)
  expect([file.status, file.text, file.headers.get('content-type')]).toEqual([
    200,
    'All is well.',
    'application/octet-stream',
  ])
  expect((await p.reporter.get(`${p.path}/artifacts/out%2Fdeep%2Findex.html`)).text).toBe('<p>Hello</p>')
  expect((await p.reporter.get(`${p.path}/artifacts/empty`)).text).toBe('')
  expect((await p.reporter.get(`${p.path}/artifacts/long`)).text === LONG).toBe(true)
  expect((await p.reporter.get(`${p.path}/artifacts/out/none.txt`)).status).toBe(404)
  const latest = `${p.base}/jobs/artifacts/main`
  expect((await p.reporter.get(`${latest}/download?job=build`)).status).toBe(404)
  await p.finish(p.pipeline, 'other')
  expect((await p.reporter.get(`${latest}/download?job=build`)).text.slice(0, 2)).toBe('PK')
  expect((await p.reporter.get(`${latest}/raw/out/report.txt?job=build`)).text).toBe('All is well.')
  expect((await p.reporter.get(`${latest}/raw/out/report.txt?job=other`)).status).toBe(404)
  expect((await p.reporter.get(`${latest}/download`)).status).toBe(400)
  const { id: other } = await p.job(p.pipeline, 'other')
  expect((await p.reporter.get(`${p.base}/jobs/${other}/artifacts`)).status).toBe(404)
})

test('the files of an archive are listed by folder, or all of them', async () => {
  const p = await built()
  const list = async (query = '') => (await p.reporter.get(`${p.path}/artifacts/tree${query}`)).body
  expect(await list()).toEqual([
    { name: 'out', path: 'out/', type: 'directory', mode: '040755' },
    { name: 'empty', path: 'empty', type: 'file', size: 0, mode: expect.stringMatching(/^100/) },
    { name: 'long', path: 'long', type: 'file', size: LONG.length, mode: expect.stringMatching(/^100/) },
  ])
  const pathsOf = (entries: readonly { path: string }[]) => entries.map(({ path }) => path)
  for (const path of ['out', 'out/'])
    expect(pathsOf(await list(`?path=${path}`))).toEqual(['out/deep/', 'out/report.txt'])
  expect(pathsOf(await list('?recursive=true'))).toEqual([
    'out/',
    'out/deep/',
    'empty',
    'long',
    'out/deep/index.html',
    'out/report.txt',
  ])
  expect(pathsOf(await list('?per_page=1&page=2'))).toEqual(['empty'])
  for (const path of ['none', 'empty', 'ou', '..'])
    expect((await p.reporter.get(`${p.path}/artifacts/tree?path=${path}`)).status).toBe(404)
})

test('what is no zip archive is said to be none', async () => {
  const p = await projectWithCi('build: { script: x }')
  const { id } = await p.create()
  const job = await p.run(id, 'build', { status: 'success', reports: { archive: 'no zip' } })
  for (const path of [
    `jobs/${job}/artifacts/a.txt`,
    `jobs/${job}/artifacts/tree`,
    'jobs/artifacts/main/raw/a.txt?job=build',
  ]) {
    const { status, body } = await p.reporter.get(`${p.base}/${path}`)
    expect([status, body.message]).toEqual([422, 'The artifacts are no zip archive'])
  }
})

test('artifacts of jobs that keep them from the public are for those whom the file names', async () => {
  const p = await built('build: { script: x, artifacts: { paths: [out], access: developer } }')
  expect((await p.reporter.get(`${p.path}/artifacts`)).status).toBe(403)
  expect((await p.developer.get(`${p.path}/artifacts`)).status).toBe(200)
  const none = await built('build: { script: x, artifacts: { paths: [out], access: none } }')
  expect((await none.owner.get(`${none.path}/artifacts`)).status).toBe(403)
})

test('artifacts are kept, deleted, erased and refused when they are too large', async () => {
  const p = await built()
  expect((await p.developer.post(`${p.path}/artifacts/keep`)).body.artifacts_expire_at).toBeNull()
  expect((await p.maintainer.delete(`${p.path}/artifacts`)).status).toBe(204)
  expect((await p.reporter.get(`${p.path}/artifacts`)).status).toBe(404)
  expect((await p.reporter.get(`${p.path}/trace`)).text).toContain('Working')
  await p.developer.post(`${p.path}/erase`)
  expect((await p.reporter.get(`${p.path}/trace`)).text).toBe('')
  await p.owner.put(p.base, { max_artifacts_size: 1 })
  const { id } = await p.create()
  await expect(
    p.run(id, 'build', { status: 'success', reports: { junit: 'x'.repeat(2_000_000) } }),
  ).rejects.toThrow('larger')
})

test('artifacts whose time is over go, but for those of the latest pipeline that has passed', async () => {
  const p = await built()
  await p.finish(p.pipeline, 'other')
  const older = p.path
  const past = '2020-01-01T00:00:00Z'
  const expire = async () => {
    await w.db
      .updateTable('ci_job_artifacts')
      .set({ expire_at: past })
      .where('project_id', '=', p.id)
      .execute()
    const { signal } = new AbortController()
    await expireArtifacts.execute({}, jobContext(w.running.services, { attempt: 1, signal }))
  }
  await expire()
  expect((await p.reporter.get(`${older}/artifacts`)).status).toBe(200)
  const { id } = await p.create()
  const newer = await p.run(id, 'build', { status: 'success', artifacts: FILES })
  await p.finish(id, 'other')
  await expire()
  expect((await p.reporter.get(`${older}/artifacts`)).status).toBe(404)
  expect((await p.reporter.get(`${p.base}/jobs/${newer}/artifacts`)).status).toBe(200)
  await p.owner.put(p.base, { keep_latest_artifact: false })
  const { status, body } = await p.maintainer.delete(`${p.base}/artifacts`)
  expect([status, body]).toEqual([202, { message: '202 Accepted' }])
  await until(async () =>
    expect((await p.reporter.get(`${p.base}/jobs/${newer}/artifacts`)).status).toBe(404),
  )
})
