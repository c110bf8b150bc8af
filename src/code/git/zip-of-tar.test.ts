import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { archive } from './archive.ts'
import { zipOfTar } from './zip-of-tar.ts'

const run = promisify(execFile)

/** What another program finds in a zip archive: its comment, and of each entry the name, mode, time, way to store and digest. */
const SCRIPT = `
import sys, zipfile, json, hashlib
z = zipfile.ZipFile(sys.argv[1])
print(json.dumps([z.comment.decode(), [[i.orig_filename, i.external_attr >> 16, i.date_time, i.flag_bits & 0x800,
  hashlib.sha256(z.read(i)).hexdigest()] for i in z.infolist()]]))`

async function foundIn(zip: Buffer): Promise<[string, [string, number, ...unknown[]][]]> {
  const folder = await mkdtemp(join(tmpdir(), 'forgelet-zip-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'it.zip')
  await writeFile(file, zip)
  return JSON.parse((await run('/usr/bin/python3', ['-c', SCRIPT, file])).stdout)
}

async function* inPieces(tar: Readable): AsyncGenerator<Buffer> {
  const bytes = await buffer(tar)
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000)
}

const FILES = {
  a: 'a\n',
  empty: '',
  'large.txt': 'large\n'.repeat(50_000),
  'run.sh': { mode: '100755', data: '#!/bin/sh\n' },
  link: { mode: '120000', data: 'x'.repeat(300) },
  'folder/a file with ümläuts.txt': 'b\n',
  [`${'a long folder/'.repeat(30)}file`]: 'c\n',
} as const

describe('a zip archive that is made of a tar archive', () => {
  test('has what git puts into its own', async () => {
    const project = await w.project()
    const repository = await importInto(project, commits({ files: FILES }))
    const commit = repository.row.last_commit_sha ?? ''
    const made = async (change?: (tar: Readable) => Readable) =>
      buffer(await archive(repository, commit, { format: 'zip', prefix: 'all/', change }))
    const zip = await made((tar) => tar)
    const [comment, entries] = await foundIn(zip)
    const [expectedComment, expected] = await foundIn(await made())
    expect(comment).toBe(expectedComment)
    // Git says the mode of links and programs alone.
    const known = entries.map(([name, mode, ...rest], index) => [name, expected[index]?.[1] && mode, ...rest])
    expect(known).toEqual(expected)
    // However the bytes come, they are the same.
    expect((await made((tar) => Readable.from(inPieces(tar)))).equals(zip)).toBe(true)
  })

  test('breaks off where the other one does', async () => {
    const project = await w.project()
    const repository = await importInto(project, commits({ files: FILES }))
    const { output } = await repository.git.capture(repository, ['archive', '--format=tar', 'main'])
    const half = output.subarray(0, output.indexOf('large\n') + 100_000)
    await expect(buffer(zipOfTar(Readable.from([half]), ''))).rejects.toThrow('in the middle of a file')
  })
})
