import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { systemRandomness } from '#context.ts'
import type { JobContext } from '#jobs/task.ts'
import { unique, w } from '../../test/world.ts'
import type { Blobs } from './blobs.ts'
import { DiskBlobs } from './disk-blobs.ts'
import { removeUnusedBlobs } from './remove-unused.ts'

async function folder(): Promise<{ root: string; blobs: Blobs }> {
  const root = await mkdtemp(join(tmpdir(), 'forgelet-blobs-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  return { root, blobs: new DiskBlobs(join(root, 'blobs'), systemRandomness) }
}

async function keysOf(blobs: Blobs): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list()) keys.push(key)
  return keys.toSorted()
}

const sweep = (blobs: Blobs) => {
  const job: JobContext = {
    ...w.running.services,
    blobs,
    clock: w.clock,
    log: pino({ level: 'silent' }),
    attempt: 1,
    signal: new AbortController().signal,
    transact: (work) => w.write(work),
  }
  return removeUnusedBlobs.execute({}, job)
}

test('a blob is read as it was put, under a key of its own each time', async () => {
  const { blobs } = await folder()
  const data = Buffer.from('a file')
  const [one, other] = [await blobs.put('avatars', data), await blobs.put('avatars', data)]
  expect(one).toMatch(/^avatars\/[0-9a-f]{2}\/[0-9a-f]{30}$/)
  expect(other).not.toBe(one)
  const stream = await blobs.get(one)
  expect(stream && (await buffer(stream))).toEqual(data)
  expect(await keysOf(blobs)).toEqual([one, other].toSorted())
})

test('what is not there is undefined, and what is deleted is not there', async () => {
  const { blobs } = await folder()
  const key = await blobs.put('avatars', Buffer.from('x'))
  await blobs.delete(key)
  await blobs.delete(key)
  expect(await blobs.get(key)).toBeUndefined()
  await blobs.clear()
  await blobs.clear()
  expect(await keysOf(blobs)).toEqual([])
})

test('no key leads out of the folder', async () => {
  const { root, blobs } = await folder()
  await writeFile(join(root, 'secret.key'), 'secret')
  for (const key of [
    '../secret.key',
    '/etc/passwd',
    'avatars/../../secret.key',
    `avatars/aa/${'0'.repeat(29)}/`,
    '',
  ]) {
    expect(await blobs.get(key)).toBeUndefined()
    await blobs.delete(key)
  }
  expect(await readdir(root)).toContain('secret.key')
})

test('a file that is half written is under no key, and no file is left when it fails', async () => {
  const { root, blobs } = await folder()
  const key = await blobs.put('avatars', Buffer.from('x'))
  const part = join(root, 'blobs', `${key.slice(0, -1)}0.part`)
  await writeFile(part, 'half')
  expect(await blobs.get(`${key.slice(0, -1)}0.part`)).toBeUndefined()
  expect(await readdir(dirname(part))).toHaveLength(2)
})

test('the daily job removes what no row names, half-written files too, and leaves what is young', async () => {
  const { root, blobs } = await folder()
  const put = () => blobs.put('avatars', Buffer.from('x'))
  const [ofUser, ofGroup, ofTopic, unused, young] = [
    await put(),
    await put(),
    await put(),
    await put(),
    await put(),
  ]
  const { id } = await w.user()
  const group = await w.group()
  const topic = await w.root.post('/topics', { name: unique('topic'), title: 'x' })
  await w.db.updateTable('users').set({ avatar: ofUser }).where('id', '=', id).execute()
  await w.db.updateTable('namespaces').set({ avatar: ofGroup }).where('id', '=', group.id).execute()
  await w.db.updateTable('topics').set({ avatar: ofTopic }).where('id', '=', topic.body.id).execute()
  const part = `${unused}.part`
  await writeFile(join(root, 'blobs', part), 'half')
  const longAgo = new Date(w.clock.now().getTime() - 25 * 60 * 60 * 1000)
  for (const key of [ofUser, ofGroup, ofTopic, unused, part])
    await utimes(join(root, 'blobs', key), longAgo, longAgo)
  await sweep(blobs)
  expect(await keysOf(blobs)).toEqual([ofUser, ofGroup, ofTopic, young].toSorted())
  await w.db.updateTable('users').set({ avatar: null }).where('id', '=', id).execute()
  await sweep(blobs)
  expect(await keysOf(blobs)).toEqual([ofGroup, ofTopic, young].toSorted())
})

test('the database refuses what is no key', async () => {
  const { id } = await w.user()
  const set = w.db.updateTable('users').set({ avatar: '../x' }).where('id', '=', id).execute()
  await expect(set).rejects.toThrow(/blob_key/)
})
