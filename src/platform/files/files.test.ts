import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { referencesToFiles } from './references.ts'
import { chunks, LARGE, openFiles, sha256 } from './test-support.ts'

describe('a file', () => {
  test('is read as it was streamed in, whole and in parts, with its digest and size', async () => {
    const { files, readBack } = await openFiles()
    const parts = [randomBytes(70_000), randomBytes(1), randomBytes(200_000)]
    const data = Buffer.concat(parts)
    async function* sent() {
      yield* parts
    }
    const file = await files.store(sent(), { max: LARGE, mediaType: 'text/plain' })
    expect(file).toMatchObject({
      sha256: sha256(data),
      size: data.length,
      mediaType: 'text/plain',
      storage: 'disk',
    })
    expect(await files.find(file.id)).toEqual(file)
    expect(await readBack(file)).toEqual(data)
    const part = await files.read(file, { start: 69_990, end: 70_010 })
    expect(part && (await buffer(part))).toEqual(data.subarray(69_990, 70_011))
  })

  test('may be empty', async () => {
    const { files, readBack } = await openFiles()
    const file = await files.store(new Uint8Array(), { max: 0 })
    expect(file.size).toBe(0)
    expect(await readBack(file)).toEqual(Buffer.alloc(0))
  })

  test('of the same bytes is kept once, however many are stored at the same moment', async () => {
    const { files, rows, onDisk, leftovers } = await openFiles()
    const data = randomBytes(300_000)
    const stored = await Promise.all(Array.from({ length: 12 }, () => files.store(data, { max: LARGE })))
    expect(new Set(stored.map(({ id }) => id)).size).toBe(1)
    expect(await rows()).toHaveLength(1)
    expect(onDisk()).toEqual([stored[0]?.key])
    expect(await leftovers()).toEqual([])
  })

  test('above its maximum is 413 and leaves nothing', async () => {
    const { files, rows, onDisk, leftovers } = await openFiles()
    const refused = files.store(chunks([600, 401]), { max: 1_000 })
    await expect(refused).rejects.toMatchObject({ kind: 'too large' })
    expect([await rows(), onDisk(), await leftovers()]).toEqual([[], [], []])
    expect((await files.store(chunks([600, 400]), { max: 1_000 })).size).toBe(1_000)
  })

  test('whose sender goes away leaves nothing', async () => {
    const { files, rows, onDisk, leftovers } = await openFiles()
    async function* broken() {
      yield randomBytes(1_000)
      throw new Error('the client is gone')
    }
    await expect(files.store(broken(), { max: LARGE })).rejects.toThrow('the client is gone')
    expect([await rows(), onDisk(), await leftovers()]).toEqual([[], [], []])
  })

  test('that nobody has is undefined', async () => {
    const { files } = await openFiles()
    expect(await files.find('0'.repeat(32))).toBeUndefined()
    expect(await files.find('../../secret.key')).toBeUndefined()
  })

  test('that has lost its bytes is undefined, keeps its row, and gets them back from the next upload', async () => {
    const { files, data, rows, onDisk, leftovers, readBack, refer, age, cleanUp } = await openFiles()
    const content = randomBytes(10)
    const file = await files.store(content, { max: LARGE })
    await refer(file.id)
    await rm(join(data, 'files', file.key))
    expect(await readBack(file)).toBeUndefined()
    await age()
    await cleanUp()
    expect(await rows()).toEqual([{ id: file.id }])
    const again = await files.store(content, { max: LARGE })
    expect([again.id, await readBack(again), await readBack(file)]).toEqual([file.id, content, content])
    await age()
    await cleanUp()
    expect([onDisk(), await leftovers()]).toEqual([[again.key], []])
  })
})

describe('a process that is killed during an upload', () => {
  test('leaves bytes that the clean-up removes without listing the store', async () => {
    const { data, address, onDisk, leftovers, rows, age, cleanUp } = await openFiles()
    const uploader = fileURLToPath(import.meta.resolve('#test/uploader.ts'))
    const env = { ...process.env, TEST_DATABASE: JSON.stringify(address), FORGELET_DATA: data }
    const child = spawn(process.execPath, [uploader], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await ended
    expect(await rows()).toEqual([])
    expect(onDisk()).toHaveLength(1)
    expect(await leftovers()).toMatchObject([{ state: 'uploading' }])
    await cleanUp()
    expect(onDisk()).toHaveLength(1)
    await age()
    await cleanUp()
    expect([onDisk(), await leftovers()]).toEqual([[], []])
  })

  test('but not by the time it goes on: an upload that the clean-up gave up is refused', async () => {
    const { files, rows, onDisk, leftovers, age, cleanUp } = await openFiles()
    const going = Promise.withResolvers<void>()
    const waiting = Promise.withResolvers<void>()
    async function* slow() {
      yield randomBytes(10)
      waiting.resolve()
      await going.promise
      yield randomBytes(10)
    }
    const stored = files.store(slow(), { max: LARGE })
    await waiting.promise
    await age()
    await cleanUp()
    going.resolve()
    await expect(stored).rejects.toMatchObject({ kind: 'busy' })
    expect([await rows(), onDisk(), await leftovers()]).toEqual([[], [], []])
  })
})

describe('the clean-up', () => {
  test('removes what nothing refers to after a day, row first, and leaves what is young or referred to', async () => {
    const { files, rows, onDisk, leftovers, refer, age, cleanUp, readBack } = await openFiles()
    const [used, unused] = [
      await files.store(randomBytes(10), { max: LARGE }),
      await files.store(randomBytes(10), { max: LARGE }),
    ]
    await refer(used.id)
    await age()
    const young = await files.store(randomBytes(10), { max: LARGE })
    await cleanUp()
    expect((await rows()).map(({ id }) => id)).toEqual([used.id, young.id].toSorted())
    expect(onDisk()).toEqual([used.key, young.key].toSorted())
    expect(await leftovers()).toEqual([])
    expect([await files.find(unused.id), await readBack(unused)]).toEqual([undefined, undefined])
    await refer(null)
    await age()
    await cleanUp()
    expect([await rows(), onDisk()]).toEqual([[], []])
  })

  test('leaves old bytes that somebody uploads again', async () => {
    const { files, refer, age, cleanUp, readBack } = await openFiles()
    const data = randomBytes(1_000)
    const first = await files.store(data, { max: LARGE })
    await age()
    const again = await files.store(data, { max: LARGE })
    expect(again.id).toBe(first.id)
    await cleanUp()
    await refer(again.id)
    expect(await readBack(again)).toEqual(data)
  })

  test('skips a file that a transaction under way refers to', async () => {
    const { files, write, age, cleanUp, readBack } = await openFiles()
    const data = randomBytes(1_000)
    const file = await files.store(data, { max: LARGE })
    await age()
    const referred = Promise.withResolvers<void>()
    const cleaned = Promise.withResolvers<void>()
    const writing = write(async (tx) => {
      await tx.db.updateTable('users').set({ avatar: file.id }).where('id', '=', 1).execute()
      referred.resolve()
      await cleaned.promise
    })
    await referred.promise
    await cleanUp()
    cleaned.resolve()
    await writing
    expect(await readBack(file)).toEqual(data)
  })

  test('loses nothing against uploads of the same bytes that are referred to at once', async () => {
    const { files, refer, age, cleanUp, readBack } = await openFiles()
    const data = randomBytes(5_000)
    for (let round = 0; round < 15; round += 1) {
      await refer(null)
      await age()
      const [file] = await Promise.all([files.store(data, { max: LARGE }), cleanUp(), cleanUp()])
      await refer(file.id)
      await cleanUp()
      expect(await readBack(file)).toEqual(data)
    }
  })

  test('goes through more files than it looks at in one statement', async () => {
    const { db, rows, files, refer, cleanUp } = await openFiles()
    const used = await files.store(randomBytes(10), { max: LARGE })
    await refer(used.id)
    await sql`
      insert into files (id, storage, key, sha256, size, created_at, used_at)
      select md5(n::text), 'disk', substr(md5(n::text), 1, 2) || '/' || substr(md5(n::text), 3), sha256(n::text::bytea), 1,
        now(), now() - interval '2 days'
      from generate_series(1, 2500) n`.execute(db)
    await cleanUp()
    expect(await rows()).toEqual([{ id: used.id }])
  })
})

test('every column that refers to files keeps them, and has an index', async () => {
  const { db } = await openFiles()
  const references = await referencesToFiles(db)
  expect(references).toEqual(
    expect.arrayContaining(['namespaces', 'topics', 'users'].map((table) => ({ table, column: 'avatar' }))),
  )
  const { rows } = await sql<{ table: string; restricts: boolean; indexed: boolean }>`
    select c.conrelid::regclass::text as table, c.confdeltype = 'r' as restricts,
      exists (select 1 from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1]) as indexed
    from pg_constraint c where c.confrelid = 'files'::regclass and c.contype = 'f'`.execute(db)
  expect(rows.filter(({ restricts, indexed }) => !restricts || !indexed)).toEqual([])
})

test('a file that a row refers to cannot be deleted', async () => {
  const { db, files, refer } = await openFiles()
  const { id } = await files.store(randomBytes(10), { max: LARGE })
  await refer(id)
  await expect(db.deleteFrom('files').where('id', '=', id).execute()).rejects.toThrow(/users_avatar_fkey/)
  await expect(refer('0'.repeat(32))).rejects.toThrow(/users_avatar_fkey/)
})

test('a full disk is 507 with a sentence, and leaves nothing', async ({ skip }) => {
  const { files, data, onDisk, leftovers, rows } = await openFiles()
  const root = join(data, 'files')
  await mkdir(root)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', root])
  if (mounted.status !== 0) skip(`SKIPPED: no tmpfs can be mounted here: ${String(mounted.stderr)}`)
  onTestFinished(() => void spawnSync('umount', ['--lazy', root]))
  await expect(files.store(chunks([200_000, 200_000]), { max: LARGE })).rejects.toMatchObject({
    kind: 'full',
    says: '507 Insufficient Storage - the file storage of this server is full',
  })
  expect([await rows(), onDisk(), await leftovers()]).toEqual([[], [], []])
  expect((await files.store(chunks([200_000]), { max: LARGE })).size).toBe(200_000)
})
