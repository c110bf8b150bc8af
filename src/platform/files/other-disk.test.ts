import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { expect, inject, it, onTestFinished } from 'vitest'
import { unique, w } from '#test/world.ts'

it('takes a file from another disk than that of the store', async (test) => {
  // Temporary files of tests may be in memory; these are not.
  const folder = await mkdtemp('/var/tmp/forgelet-other-')
  onTestFinished(() => rm(folder, { recursive: true }))
  if ((await stat(folder)).dev === (await stat(inject('dataDir'))).dev) test.skip('there is one disk alone')
  const content = Buffer.from(unique('from elsewhere'))
  const path = join(folder, 'file')
  await writeFile(path, content)
  const { files } = w.running.services
  const digest = { sha256: hash('sha256', content, 'buffer'), size: content.length }
  const bytes = await files.read(await files.storeFile(path, digest))
  expect(bytes && (await buffer(bytes))).toEqual(content)
})
