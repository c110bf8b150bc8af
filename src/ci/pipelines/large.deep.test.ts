import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { finishJob } from '../jobs/finish-job.ts'
import { projectWithCi } from '../test-support.ts'

const file = (jobs: number) =>
  `first: { script: x }\n${Array.from({ length: jobs }, (_, at) => `job-${at}: { stage: deploy, script: make ${at} }\n`).join('')}`

test('a finished job makes the next ones ready with the same statements for 10 and for 900 jobs', async () => {
  const statements = async (jobs: number) => {
    const p = await projectWithCi(file(jobs))
    const { id } = await p.create()
    const { id: first } = (await p.developer.get(`${p.base}/jobs?scope[]=pending`)).body[0]
    expect(first).toBeGreaterThan(0)
    const all = await w.statements(() => p.write((tx) => finishJob(tx, first, { status: 'success' })))
    const { headers } = await p.developer.get(`${p.base}/pipelines/${id}/jobs?scope[]=pending&per_page=1`)
    expect(headers.get('x-total')).toBe(String(jobs))
    return all.length
  }
  expect(await statements(900)).toBe(await statements(10))
}, 180_000)

test('more than a thousand jobs are refused', async () => {
  const p = await projectWithCi(file(1_001))
  const { status, body } = await p.developer.post(`${p.base}/pipeline`, { ref: 'main' })
  expect([status, body.message]).toEqual([
    400,
    { base: [expect.stringContaining('The number of jobs has exceeded the limit of 1000')] },
  ])
})
