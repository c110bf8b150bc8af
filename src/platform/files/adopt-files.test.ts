import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { readConfig } from '#platform/config/config.ts'
import { adoptFiles } from './adopt-files.ts'
import { LARGE, openFiles, sha256 } from './test-support.ts'

/** Avatars as an earlier version left them: on disk below blobs/avatars, and in rows as the migration writes them. */
async function formerly(contents: readonly (Buffer | undefined)[]) {
  const opened = await openFiles()
  const { db, data } = opened
  const ids = contents.map(() => randomBytes(16).toString('hex'))
  for (const [index, id] of ids.entries()) {
    const key = `${id.slice(0, 2)}/${id.slice(2)}`
    await sql`
      insert into files (id, storage, key, media_type, created_at, used_at)
      values (${id}, 'disk', ${key}, 'image/png', now(), now())`.execute(db)
    const path = join(data, 'blobs/avatars', key)
    mkdirSync(dirname(path), { recursive: true })
    const content = contents[index]
    if (content !== undefined) writeFileSync(path, content)
  }
  const config = readConfig({ FORGELET_DATA: data })
  return { ...opened, ids, adopt: () => adoptFiles({ config, db, log: pino({ level: 'silent' }) }) }
}

test('avatars of an earlier version become files at the first start', async () => {
  const contents = [randomBytes(100), randomBytes(200)]
  const { data, ids, files, adopt, readBack } = await formerly(contents)
  expect(await files.find(ids[0] ?? '')).toBeUndefined()
  await adopt()
  await adopt()
  for (const [index, id] of ids.entries()) {
    const content = contents[index] ?? Buffer.alloc(0)
    const file = await files.find(id)
    expect(file).toMatchObject({ sha256: sha256(content), size: content.length, mediaType: 'image/png' })
    expect(file && (await readBack(file))).toEqual(content)
  }
  expect(await readdir(data)).toEqual(['files'])
})

test('the same picture twice becomes one file, which both refer to', async () => {
  const content = randomBytes(100)
  const { db, ids, adopt, rows, refer, age, cleanUp, onDisk } = await formerly([content, content])
  await refer(ids[1] ?? null)
  await adopt()
  const left = await rows()
  expect(left).toHaveLength(1)
  const root = await db.selectFrom('users').select('avatar').where('id', '=', 1).executeTakeFirstOrThrow()
  expect(root.avatar).toBe(left[0]?.id)
  await age()
  await cleanUp()
  expect(onDisk()).toHaveLength(1)
})

test('what is not on this machine is left to the one that has it, and keeps nobody from starting', async () => {
  const { ids, files, adopt, rows } = await formerly([randomBytes(10), undefined])
  await adopt()
  expect(await rows()).toHaveLength(2)
  expect([await files.find(ids[0] ?? ''), await files.find(ids[1] ?? '')]).toMatchObject([
    { size: 10 },
    undefined,
  ])
})

test('a start that was killed halfway goes on', async () => {
  const { data, ids, files, adopt } = await formerly([undefined])
  const key = `${ids[0]?.slice(0, 2)}/${ids[0]?.slice(2)}`
  mkdirSync(dirname(join(data, 'files', key)), { recursive: true })
  writeFileSync(join(data, 'files', key), 'brought over')
  await adopt()
  expect(await files.find(ids[0] ?? '')).toMatchObject({ size: 12 })
  const again = await files.store(Buffer.from('brought over'), { max: LARGE })
  expect(again.id).toBe(ids[0])
})
