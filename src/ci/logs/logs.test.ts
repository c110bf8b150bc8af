import { expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'
import { appendLog } from './append-log.ts'
import { archiveLogs } from './archive-logs.ts'
import { endOfLog, logBytes } from './read-log.ts'

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

test('the end of a log is read without the rest, whatever pieces it came in', async () => {
  const p = await projectWithCi('build: { script: x }')
  const { id } = await p.create()
  const { id: job } = await p.job(id, 'build')
  const end = async (most: number) => (await endOfLog(w.db, job, most)).toString()
  expect(await end(5)).toBe('')
  for (const piece of ['aaaaaaaa', 'bb', 'c']) await w.write((tx) => appendLog(tx, job, Buffer.from(piece)))
  expect([await end(1), await end(2), await end(5), await end(11), await end(99)]).toEqual([
    'c',
    'bc',
    'aabbc',
    'aaaaaaaabbc',
    'aaaaaaaabbc',
  ])
})
