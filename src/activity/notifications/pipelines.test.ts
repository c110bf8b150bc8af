import { expect, test } from 'vitest'
import { projectWithCi } from '#ci/test-support.ts'
import { w } from '#test/mail-world.ts'
import { until } from '#test/until.ts'
import { mailsOf } from './test-support.ts'

test('whoever started a pipeline hears that it failed, and that it was fixed', async () => {
  const p = await projectWithCi('job: { script: x }', { world: w })
  const end = async (status: 'success' | 'failed') => {
    const { id } = await p.create()
    await p.finish(id, 'job', status)
  }
  const subjects = async () => (await mailsOf(p.developer)).map(({ subject }) => subject)
  await end('success')
  await end('failed')
  await until(async () =>
    expect(await subjects()).toEqual([expect.stringContaining('Pipeline for main failed')]),
  )
  await end('success')
  await until(async () => expect((await subjects())[1]).toContain('Pipeline for main was fixed'))
})
