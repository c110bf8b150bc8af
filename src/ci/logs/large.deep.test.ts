import { expect, test } from 'vitest'
import { until } from '#test/until.ts'
import { projectWithCi } from '../test-support.ts'
import { runner } from '../job-requests/test-support.ts'

const PIECE = 4 * 1024 * 1024
const SIZE = 100 * 1024 * 1024

/** A piece of a log in which every line says where it begins. */
function piece(at: number): string {
  const line = (start: number) => `${String(start).padStart(15, '0')}\n`
  return Array.from({ length: PIECE / 16 }, (_, index) => line(at + index * 16)).join('')
}

test('a log of 100 MB is read by ranges while it grows and afterwards', { timeout: 120_000 }, async () => {
  const p = await projectWithCi('build: { script: x }')
  await p.create()
  const job = await (await runner({ project: p.id })).take()
  for (let at = 0; at < SIZE; at += PIECE) expect((await job.trace(piece(at))).status).toBe(202)
  const path = `${p.base}/jobs/${job.id}/trace`
  const times: number[] = []
  const readParts = async () => {
    for (const start of [0, 16, PIECE - 16, PIECE, 50 * 1024 * 1024, SIZE - 16]) {
      const begun = performance.now()
      const part = await p.developer.get(path, { headers: { range: `bytes=${start}-${start + 15}` } })
      times.push(performance.now() - begun)
      expect([part.status, part.text]).toEqual([206, `${String(start).padStart(15, '0')}\n`])
    }
  }
  await readParts()
  expect((await p.developer.get(path)).text.length).toBe(SIZE)
  expect((await job.update('success')).status).toBe(200)
  await until(async () => {
    const { headers } = await p.developer.get(path, { headers: { range: 'bytes=0-0' } })
    expect(headers.get('etag')).not.toBeNull()
  })
  await readParts()
  console.log(`parts of a log of 100 MB: ${times.map((time) => Math.round(time)).join(' ')} ms`)
})
