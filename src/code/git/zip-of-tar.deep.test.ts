import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { zipOfTar } from './zip-of-tar.ts'

const run = promisify(execFile)

const MEGABYTE = 1024 * 1024
const ZEROS = Buffer.alloc(MEGABYTE)

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(512)
  const put = (at: number, text: string) => void header.write(text, at, 'latin1')
  put(0, name)
  put(100, '0000644')
  put(124, size.toString(8).padStart(11, '0'))
  put(136, '14524770400')
  put(156, '0')
  return header
}

/** A tar archive with files of so many megabytes of zeros. */
async function* tarOf(megabytes: readonly number[]): AsyncGenerator<Buffer> {
  for (const [index, size] of megabytes.entries()) {
    yield headerOf(`file-${index}`, size * MEGABYTE)
    for (let left = size; left > 0; left -= 1) yield ZEROS
  }
  yield Buffer.alloc(1024)
}

const SCRIPT = `
import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
print(z.testzip(), len(z.infolist()), sum(i.file_size for i in z.infolist()))`

/** What another program says of the archive: the first file that is damaged, the number of files and their size. */
async function judged(megabytes: readonly number[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forgelet-zip-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'it.zip')
  await pipeline(zipOfTar(Readable.from(tarOf(megabytes)), 'x'), createWriteStream(file))
  return (await run('/usr/bin/python3', ['-c', SCRIPT, file])).stdout.trim()
}

test('a zip archive may have a file of more than 4 GiB', { timeout: 180_000 }, async () => {
  expect(await judged([1, 4_097, 0])).toBe(`None 3 ${4_098 * MEGABYTE}`)
})

test('a zip archive may have more than 65,535 files', { timeout: 180_000 }, async () => {
  expect(await judged(Array<number>(70_000).fill(0))).toBe('None 70000 0')
})
