import { afterAll, expect, test } from 'vitest'
import { killJob } from '#administration/background-jobs/test-support.ts'
import { signedIn } from '#test/visitor.ts'
import { openWorld } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Failed jobs in the browser: all those of an instance, so it is one of its own.

const w = await openWorld()
afterAll(() => w.running.stop())

test('what failed for good is shown, and tried again', async () => {
  const { visitor } = await signedIn(w, { admin: true })
  const page = '/admin/background_jobs'
  const shown = async () => (await visitor.get(page, HERE)).text
  expect(await shown()).toContain('No background work has failed for good.')
  const first = await killJob(w, { task: 'test/none', error: 'No <such> host' })
  await killJob(w, { task: 'test/none' })
  expect(await shown()).toContain('No &lt;such&gt; host')
  expect((await submit(visitor, page, `retry/${first}`)).status).toBe(303)
  expect(formsIn(await shown())).not.toContain(`retry/${first}`)
  expect((await submit(visitor, page, 'retry-all')).status).toBe(303)
  expect(await shown()).toContain('No background work has failed for good.')
})
