import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFiles } from './files-of-job.ts'
import { temporaryFolder } from './test-support.ts'

const FILES = {
  'a.txt': '',
  'dist/app.js': '',
  'dist/deep/b.txt': '',
  '.hidden/c.txt': '',
  '.git/config': 'secret',
  'sub/.gitkeep': '',
}

test.each<[string[], string[], string[]]>([
  [['a.txt'], [], ['a.txt']],
  [['dist'], [], ['dist/app.js', 'dist/deep/b.txt']],
  [['dist/'], [], ['dist/app.js', 'dist/deep/b.txt']],
  [['*.txt'], [], ['a.txt']],
  [['dist/**/*.txt'], [], ['dist/deep/b.txt']],
  [['dist'], ['dist/**/*.txt'], ['dist/app.js']],
  [['.'], [], ['.hidden/c.txt', 'a.txt', 'dist/app.js', 'dist/deep/b.txt', 'sub/.gitkeep']],
  [['.git', '.git/config', '.git/*'], [], []],
  [['../*', '/etc/passwd', 'dist/../../x'], [], []],
])('%j without %j', async (paths, exclude, expected) => {
  await using folder = await temporaryFolder(FILES)
  expect((await findFiles(folder.path, { paths, exclude })).files).toEqual(expected)
})

test('nothing is found through a link, and a link is a file', async () => {
  await using outside = await temporaryFolder({ 'secret.txt': 'x' })
  await using folder = await temporaryFolder({ 'a.txt': '' })
  await symlink(outside.path, join(folder.path, 'link'))
  const { files, warnings } = await findFiles(folder.path, { paths: ['link/*', 'link/secret.txt', 'link'] })
  expect(files).toEqual(['link'])
  expect(warnings).toEqual(['link/*: no files', 'link/secret.txt: no files'])
})

test('absolute paths count inside the folder', async () => {
  await using folder = await temporaryFolder(FILES)
  const { files } = await findFiles(folder.path, { paths: [join(folder.path, 'a.txt')] })
  expect(files).toEqual(['a.txt'])
})
