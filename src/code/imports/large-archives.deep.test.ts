import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { archiveOf, endOfImport, importOf } from '#test/archives.ts'
import { w } from '#test/world.ts'

const note = {
  issue_iid: 7,
  body: 'x'.repeat(900_000),
  internal: false,
  author: 'A',
  created_at: '2020-01-01T00:00:00.000Z',
}
const notes = `${JSON.stringify(note)}\n`.repeat(20)

test.each([
  ['in a part of the format', { name: 'notes.ndjson', body: notes }],
  ['in a file that nobody knows', { name: 'x', body: Buffer.alloc(20 * 1024 * 1024) }],
])('an archive that would become a thousand times as large %s is refused before that', async (_, entry) => {
  const archive = await archiveOf(entry)
  expect(archive.length).toBeLessThan(100_000)
  const made = await importOf(w.root, archive)
  expect(await endOfImport(w.root, made)).toMatchObject({
    import_status: 'failed',
    import_error: 'The archive is too large: unpacked, one of its size may have 16 MB',
  })
  // What was unpacked is gone. The servers of other tests have the same folder.
  await expect.poll(() => readdir(join(w.running.services.config.data, 'work'))).toEqual([])
})

test('an archive that becomes twenty times as large is read', async () => {
  const random = Array.from({ length: 10_000 }, (__, at) => `${(at * 7919) % 104_729} `).join('')
  const archive = await archiveOf({ name: 'x', body: random.repeat(400) })
  expect(archive.length).toBeGreaterThan(200_000)
  expect(await endOfImport(w.root, await importOf(w.root, archive))).toMatchObject({ import_error: null })
})
