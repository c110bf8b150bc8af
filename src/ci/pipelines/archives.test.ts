import { expect, test } from 'vitest'
import { archiveOf, endOfImport, exportOf, importOf } from '#test/archives.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'

const CONFIG = `
build: { stage: build, script: x }
test: { stage: test, script: x }
`

test('an export holds pipelines and schedules, which another project gets as history, and switched off', async () => {
  const p = await projectWithCi(CONFIG)
  const { id } = await p.create()
  await p.run(id, 'build', { status: 'success' })
  const schedule = { description: 'Nightly', ref: 'main', cron: '0 1 * * *', cron_timezone: 'Europe/Berlin' }
  const { body: made } = await p.developer.post(`${p.base}/pipeline_schedules`, schedule)
  await p.developer.post(`${p.base}/pipeline_schedules/${made.id}/variables`, { key: 'A', value: 'secret' })
  const by = await w.user()
  const imported = await importOf(by, await exportOf(p.owner, p.id))
  expect((await endOfImport(by, imported)).import_status).toBe('finished')
  const there = `/projects/${imported.body.id}`
  const { body: pipelines } = await by.get(`${there}/pipelines`)
  const { body: original } = await p.developer.get(`${p.base}/pipelines`)
  expect(pipelines).toMatchObject([
    { iid: 1, sha: original[0].sha, ref: 'main', status: 'canceled', created_at: original[0].created_at },
  ])
  const { body: jobs } = await by.get(`${there}/pipelines/${pipelines[0].id}/jobs`)
  expect(jobs.map(({ name, status }: { name: string; status: string }) => [name, status]).toSorted()).toEqual(
    [
      ['build', 'success'],
      ['test', 'canceled'],
    ],
  )
  const { body: schedules } = await by.get(`${there}/pipeline_schedules`)
  expect(schedules).toMatchObject([
    { ...schedule, ref: 'refs/heads/main', active: false, owner: { id: by.id } },
  ])
  const { body: whole } = await by.get(`${there}/pipeline_schedules/${schedules[0].id}`)
  expect(whole.variables).toEqual([])
})

test.each([
  [
    'pipeline_schedules',
    { description: 'x', ref: 'main', cron: 'never', cron_timezone: 'UTC' },
    'invalid syntax',
  ],
  ['pipelines', { iid: 1, source: 'push', status: 'gone' }, 'pipelines that cannot be read'],
])('an archive with bad %s is refused', async (name, row, problem) => {
  const by = await w.user()
  const archive = await archiveOf({ name: `${name}.ndjson`, body: `${JSON.stringify(row)}\n` })
  const { import_status, import_error } = await endOfImport(by, await importOf(by, archive))
  expect([import_status, import_error]).toEqual(['failed', expect.stringContaining(problem)])
})
