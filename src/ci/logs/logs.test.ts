import { expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'
import { appendLog } from './append-log.ts'
import { archiveLogs } from './archive-logs.ts'
import { logBytes } from './read-log.ts'

/** A job with a log of these pieces. */
async function withLog(pieces: readonly string[]) {
  const p = await projectWithCi('build: { script: x }')
  const { id: pipeline } = await p.create()
  const { id: job } = await p.job(pipeline, 'build')
  for (const piece of pieces) await w.write((tx) => appendLog(tx, job, Buffer.from(piece)))
  /** Ends the job and makes a file of its log. */
  const archive = async () => {
    await w.db.updateTable('ci_jobs').set({ status: 'success' }).where('id', '=', job).execute()
    const { signal } = new AbortController()
    await archiveLogs.execute(
      { pipeline_id: pipeline },
      jobContext(w.running.services, { attempt: 1, signal }),
    )
  }
  const read = async (headers: Readonly<Record<string, string>> = {}) =>
    p.developer.get(`${p.base}/jobs/${job}/trace`, { headers })
  const head = async (range: string) =>
    p.developer.send('HEAD', `${p.base}/jobs/${job}/trace`, { headers: { range } })
  return { job, archive, read, head }
}

test('a log that becomes a file while it is read is read to its end', async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\n`)
  const { job, archive } = await withLog(lines)
  let read = ''
  for await (const piece of logBytes(w.running.services, job)) {
    if (read === '') await archive()
    read += piece.toString()
  }
  expect(read).toBe(lines.join(''))
})

const RANGES = [
  ['bytes=0-2', 'zer', '0-2'],
  ['bytes=3-9', 'o\none\nt', '3-9'],
  ['bytes=5-5', 'o', '5-5'],
  ['bytes=9-', 'two\n', '9-12'],
  ['bytes=-3', 'wo\n', '10-12'],
  ['bytes=12-400', '\n', '12-12'],
] as const

test.each([
  ['grows', false],
  ['is a file', true],
])('a log that %s is read by ranges', async (_, isFile) => {
  const { archive, read, head } = await withLog(['zero\n', 'one\n', 'two\n'])
  if (isFile) await archive()
  for (const [range, text, part] of RANGES) {
    const answer = await read({ range })
    expect([range, answer.status, answer.text]).toEqual([range, 206, text])
    expect(answer.headers.get('content-range')).toBe(`bytes ${part}/13`)
    expect(answer.headers.get('content-length')).toBe(String(text.length))
  }
  const { status, headers } = await read({ range: 'bytes=13-' })
  expect([status, headers.get('content-range')]).toEqual([416, 'bytes */13'])
  const asked = await head('bytes=3-9')
  expect([asked.status, asked.text]).toEqual([200, ''])
  for (const other of [{ range: 'lines=1-2' }, { range: 'bytes=1-2', 'if-range': '"x"' }]) {
    const whole = await read(other)
    expect([whole.status, whole.text]).toEqual([200, 'zero\none\ntwo\n'])
  }
})

test('a part of a log whose job ends while it is read comes whole', async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\n`)
  const { job, archive } = await withLog(lines)
  let read = ''
  for await (const piece of logBytes(w.running.services, job, { start: 10, end: 300 })) {
    if (read === '') await archive()
    read += piece.toString()
  }
  expect(read).toBe(lines.join('').slice(10, 301))
})
