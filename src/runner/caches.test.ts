import { readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { cacheFile, evict, keysOf, restoreCaches, saveCaches } from './caches.ts'
import type { Cache } from './job.ts'
import { jobWith, NOWHERE, temporaryFolder } from './test-support.ts'
import { JobVariables } from './variables.ts'

const none = new JobVariables([], NOWHERE)

test('a key is no path, and each project has its own caches', () => {
  const files = ['../../evil', '/etc/passwd', '', 'a/b', 'main', 'main '].map((key) =>
    cacheFile('/c', 7, key),
  )
  for (const file of files) expect(dirname(file)).toBe('/c/7')
  expect(new Set(files).size).toBe(files.length)
  expect(cacheFile('/c', 8, 'main')).not.toBe(cacheFile('/c', 7, 'main'))
})

test('keys come in the order in which they are looked for, with their variables', () => {
  const variables = new JobVariables(
    [
      { key: 'REF', value: 'topic' },
      { key: 'CACHE_FALLBACK_KEY', value: 'last' },
    ],
    NOWHERE,
  )
  const cache = { key: 'a-$REF', fallback_keys: ['b', '$NOTHING', 'a-topic'] }
  expect(keysOf(cache, variables)).toEqual(['a-topic', 'b', 'last'])
})

async function place(root: string, cache: Cache, files: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder(files)
  const lines: string[] = []
  const of = {
    root,
    folder: folder.path,
    job: jobWith({ cache: [cache] }),
    variables: none,
    say: async (text: string) => void lines.push(text),
  }
  return { ...of, lines, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] }
}

test('what one job keeps the next one has, by its key or a fallback', async () => {
  await using root = await temporaryFolder()
  await using first = await place(root.path, { key: 'main', paths: ['lib'] }, { 'lib/a': 'kept' })
  await saveCaches(first, true)
  await using second = await place(root.path, { key: 'topic', fallback_keys: ['main'], paths: ['lib'] })
  await restoreCaches(second)
  expect(await readFile(join(second.folder, 'lib/a'), 'utf8')).toBe('kept')
  expect(second.lines).toEqual(['Got the cache main'])
})

test.each<[Partial<Cache>, boolean, boolean]>([
  [{}, true, true],
  [{}, false, false],
  [{ when: 'on_failure' }, false, true],
  [{ when: 'on_failure' }, true, false],
  [{ when: 'always' }, false, true],
  [{ policy: 'pull' }, true, false],
  [{ policy: 'push' }, true, true],
])('%j is kept of a job that passed: %s', async (more, hasPassed, isKept) => {
  await using root = await temporaryFolder()
  await using one = await place(root.path, { key: 'k', paths: ['a'], ...more }, { a: '' })
  await saveCaches(one, hasPassed)
  const found = await readFile(cacheFile(root.path, one.job.job_info.project_id, 'k')).catch(() => undefined)
  expect(found !== undefined).toBe(isKept)
})

test('a damaged cache is none, and goes', async () => {
  await using root = await temporaryFolder()
  await using one = await place(root.path, { key: 'k', paths: ['a'] }, { a: '' })
  await saveCaches(one, true)
  const file = cacheFile(root.path, one.job.job_info.project_id, 'k')
  await writeFile(file, 'damaged')
  await restoreCaches(one)
  expect(one.lines.at(-1)).toBe('There is no cache k yet')
  await expect(readFile(file)).rejects.toThrow('ENOENT')
})

test('the caches that were unused for longest go first', async () => {
  await using root = await temporaryFolder({
    '1/old.zip': 'xxxx',
    '1/new.zip': 'xxxx',
    '2/newer.zip': 'xxxx',
  })
  for (const [name, day] of [
    ['1/old.zip', 1],
    ['1/new.zip', 2],
    ['2/newer.zip', 3],
  ] as const) {
    const time = new Date(Date.UTC(2026, 0, day))
    await utimes(join(root.path, name), time, time)
  }
  await evict(root.path, 8)
  await expect(readFile(join(root.path, '1/old.zip'))).rejects.toThrow('ENOENT')
  expect(await readFile(join(root.path, '1/new.zip'), 'utf8')).toBe('xxxx')
  await rm(root.path, { recursive: true })
  await evict(root.path, 8)
})
