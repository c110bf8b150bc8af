import { expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'
import { appendLog } from './append-log.ts'
import { archiveLogs } from './archive-logs.ts'
import { logBytes } from './read-log.ts'

test('a log that becomes a file while it is read is read to its end', async () => {
  const p = await projectWithCi('build: { script: x }')
  const { id } = await p.create()
  const { id: job } = await p.job(id, 'build')
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\n`)
  for (const line of lines) await w.write((tx) => appendLog(tx, job, Buffer.from(line)))
  const { services } = w.running
  const archive = async () => {
    const { signal } = new AbortController()
    await archiveLogs.execute({ pipeline_id: id }, jobContext(services, { attempt: 1, signal }))
  }
  let read = ''
  for await (const piece of logBytes(services, job)) {
    if (read === '') {
      await w.db.updateTable('ci_jobs').set({ status: 'success' }).where('id', '=', job).execute()
      await archive()
    }
    read += piece.toString()
  }
  expect(read).toBe(lines.join(''))
})
