import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '#test/temporary-folder.ts'
import { zipOf } from '#ci/artifacts/zip.ts'
import { filesThatMatch, gzipFiles, unzip, zipFiles } from './archive.ts'
import { JobCache, trimCaches } from './cache.ts'

let base = ''
const at = (...names: readonly string[]) => join(base, ...names)
beforeAll(async () => {
  base = await mkdtemp(join(temporaryFolder(), 'forgelet-runner-'))
  for (const folder of ['work/out/deep', 'work/src', 'outside']) await mkdir(at(folder), { recursive: true })
  for (const name of [
    'work/out/a.txt',
    'work/out/deep/b.txt',
    'work/src/c.js',
    'work/.hidden',
    'outside/secret',
  ])
    await writeFile(at(name), name)
  await symlink(at('outside/secret'), at('work/out/link'))
  await symlink(at('outside'), at('work/folder'))
  await symlink(at('work/src/c.js'), at('work/out/inner'))
})
afterAll(() => rm(base, { recursive: true, force: true }))

const match = (patterns: string[], exclude: string[] = []) => filesThatMatch(at('work'), patterns, exclude)

describe('patterns', () => {
  test.each<[string[], string[], string[]]>([
    [['out'], [], ['out/a.txt', 'out/deep/b.txt', 'out/inner']],
    [['out/'], ['out/deep/**'], ['out/a.txt', 'out/inner']],
    [['out/*.txt', './src/**/*.js'], [], ['out/a.txt', 'src/c.js']],
    [['/out/a.txt', 'nowhere', '.hidden'], [], ['.hidden', 'out/a.txt']],
    [['../outside/secret', 'folder/secret', 'folder', '/etc/passwd', '..'], [], []],
  ])('%j without %j name files of the work folder alone', async (patterns, exclude, expected) => {
    expect(await match(patterns, exclude)).toEqual(expected)
  })
})

describe('archives', () => {
  test('hold files as they are', async () => {
    await zipFiles(at('work'), await match(['out', 'src']), at('a.zip'))
    await mkdir(at('one'))
    await unzip(at('a.zip'), at('one'))
    expect(await readFile(at('one/out/deep/b.txt'), 'utf8')).toBe('work/out/deep/b.txt')
    await gzipFiles(at('work'), ['out/a.txt', 'src/c.js'], at('a.gz'))
    expect(gunzipSync(await readFile(at('a.gz'))).toString()).toBe('work/out/a.txtwork/src/c.js')
  })

  test('of others write nothing outside of the work folder', async () => {
    await mkdir(at('two'))
    await symlink(at('outside'), at('two/link'))
    await symlink(at('outside/secret'), at('two/file'))
    await writeFile(at('b.zip'), await zipOf({ 'link/new/x': '1', file: '4', 'fine/x': '5' }))
    await unzip(at('b.zip'), at('two'))
    for (const name of ['../outside/y', '/outside/z', 'a/../../outside/w']) {
      await writeFile(at('c.zip'), await zipOf({ [name]: '2' }))
      await expect(unzip(at('c.zip'), at('two'))).rejects.toThrow('Unsafe filename')
    }
    expect(await readFile(at('two/fine/x'), 'utf8')).toBe('5')
    expect(await readFile(at('two/file'), 'utf8')).toBe('4')
    expect(await filesThatMatch(at('outside'), ['**'])).toEqual(['secret'])
    expect(await readFile(at('outside/secret'), 'utf8')).toBe('outside/secret')
  })
})

test('a cache is kept by its key, for jobs that want it, and the oldest goes when there is too much', async () => {
  const cache = new JobCache(at('caches/1'))
  const named = { key: '../a/b', paths: ['out'], when: 'on_success', policy: 'pull-push' }
  expect(await cache.save(named, at('work'), 'failed')).toBeUndefined()
  expect(await cache.save({ ...named, policy: 'pull' }, at('work'), 'success')).toBeUndefined()
  expect(await cache.save(named, at('work'), 'success')).toBe(3)
  await mkdir(at('three'))
  expect(await cache.restore({ key: 'other' }, at('three'))).toBeUndefined()
  expect(await cache.restore({ ...named, policy: 'push' }, at('three'))).toBeUndefined()
  expect(await cache.restore({ key: 'other', fallback_keys: ['../a/b'] }, at('three'))).toBe('../a/b')
  expect(await readFile(at('three/out/a.txt'), 'utf8')).toBe('work/out/a.txt')
  await trimCaches(at('caches'), 0)
  expect(await cache.restore(named, at('three'))).toBeUndefined()
})
