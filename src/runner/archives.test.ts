import { chmod, lstat, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'
import { expect, test } from 'vitest'
import { pack, unpack } from './archives.ts'
import { temporaryFolder } from './test-support.ts'

test('files, their modes and links come back as they were', async () => {
  await using from = await temporaryFolder({ 'bin/run': '#!/bin/sh\n', 'ä b.txt': 'text' })
  await chmod(join(from.path, 'bin/run'), 0o755)
  await symlink('run', join(from.path, 'bin/link'))
  await using to = await temporaryFolder({ 'ä b.txt': 'older' })
  const zip = join(to.path, 'x.zip')
  await pack(from.path, ['bin/link', 'bin/run', 'gone', 'ä b.txt'], zip)
  expect(await unpack(zip, to.path)).toBe(3)
  expect(await readFile(join(to.path, 'ä b.txt'), 'utf8')).toBe('text')
  expect((await lstat(join(to.path, 'bin/run'))).mode & 0o777).toBe(0o755)
  expect(await readlink(join(to.path, 'bin/link'))).toBe('run')
})

interface Entry {
  readonly name: string
  readonly text: string
  readonly link?: true
}

async function zipOf(folder: string, entries: readonly Entry[]): Promise<string> {
  const zip = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false })
  for (const { name, text, link } of entries)
    await zip.add(name, new TextReader(text), link ? { unixMode: 0o120777 } : {})
  const file = join(folder, 'evil.zip')
  await writeFile(file, await zip.close())
  return file
}

test.each<[string, Entry[]]>([
  ['a name with ..', [{ name: '../evil', text: 'x' }]],
  ['a name with .. inside', [{ name: 'a/../../evil', text: 'x' }]],
  ['an absolute name', [{ name: '/tmp/evil', text: 'x' }]],
  ['a link that leads outside', [{ name: 'link', text: '../outside', link: true }]],
  ['a link that leads to an absolute path', [{ name: 'link', text: '/etc/passwd', link: true }]],
  [
    'a link in a folder that leads outside',
    [
      { name: 'a/b/link', text: '../../../outside', link: true },
      { name: 'a/c', text: 'x' },
    ],
  ],
])('%s is refused', async (_, entries) => {
  await using folder = await temporaryFolder({ 'project/kept': '' })
  const zip = await zipOf(folder.path, entries)
  await expect(unpack(zip, join(folder.path, 'project'))).rejects.toThrow(
    /outside the folder|Unsafe filename/,
  )
  expect(await readdir(folder.path)).toEqual(['evil.zip', 'project'])
})

test('nothing is written through a link that is there already', async () => {
  await using outside = await temporaryFolder({ 'a.txt': 'mine' })
  await using folder = await temporaryFolder()
  await symlink(outside.path, join(folder.path, 'link'))
  await symlink(join(outside.path, 'a.txt'), join(folder.path, 'a.txt'))
  const into = await zipOf(folder.path, [{ name: 'link/a.txt', text: 'evil' }])
  await expect(unpack(into, folder.path)).rejects.toThrow('in the place of a folder')
  const over = await zipOf(folder.path, [{ name: 'a.txt', text: 'new' }])
  await unpack(over, folder.path)
  expect(await readFile(join(folder.path, 'a.txt'), 'utf8')).toBe('new')
  expect(await readFile(join(outside.path, 'a.txt'), 'utf8')).toBe('mine')
})

test('an archive that grows too much is refused, and what is none', async () => {
  await using folder = await temporaryFolder({ 'none.zip': 'text' })
  const zip = await zipOf(folder.path, [{ name: 'bomb', text: '0'.repeat(1_000_000) }])
  await expect(unpack(zip, folder.path, 100_000)).rejects.toThrow('too large')
  await expect(unpack(join(folder.path, 'none.zip'), folder.path)).rejects.toThrow('not recognized')
})
