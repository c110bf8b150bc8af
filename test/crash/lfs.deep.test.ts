import { createHash, randomBytes } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { type Db, openDb } from '#platform/db/pool.ts'
import { transact } from '#platform/db/transaction.ts'
import { cleanUpFiles } from '#platform/files/clean-up.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { Client } from '#test/client.ts'
import { filesBelow } from '#test/s3.ts'
import { until } from '#test/until.ts'
import { dataFolder, giveUpOn, killEverything, onDatabase, start, TOKEN } from './killing.ts'

/** Each takes three seconds. More find more: `CRASHES=20`. */
const crashes = Number(process.env['CRASHES'] ?? 3)
/** Bytes of an object, for each of those who upload one after the other. */
const LANES = [0, 100, 30_000, 30_000, 300_000, 5_000_000]

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** An object that somebody uploads to a project. */
interface Upload {
  readonly path: string
  readonly oid: string
  readonly bytes: Buffer
}

const Authorization = `Basic ${Buffer.from(`x:${TOKEN}`).toString('base64')}`
const objectAt = ({ path, oid }: Upload) => `/${path}.git/gitlab-lfs/objects/${oid}`

async function put(site: string, upload: Upload): Promise<number> {
  const answer = await fetch(`${site}${objectAt(upload)}/${upload.bytes.length}`, {
    method: 'PUT',
    headers: { Authorization, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(upload.bytes),
  })
  await answer.text()
  return answer.status
}

/** Uploads objects to both projects at once until the server is killed. @param onAcknowledged hears of each that is taken */
async function uploading(site: string, paths: readonly string[], size: number, onAcknowledged: () => void) {
  const seen: { readonly upload: Upload; readonly isAcknowledged: boolean }[] = []
  while (seen.every(({ isAcknowledged }) => isAcknowledged)) {
    const bytes = randomBytes(size)
    const oid = createHash('sha256').update(bytes).digest('hex')
    const uploads = paths.map((path) => ({ path, oid, bytes }))
    const ends = await Promise.allSettled(uploads.map((upload) => put(site, upload)))
    for (const [index, upload] of uploads.entries()) {
      const end = ends[index]
      const isAcknowledged = end?.status === 'fulfilled' && end.value === 200
      seen.push({ upload, isAcknowledged })
      if (isAcknowledged) onAcknowledged()
    }
  }
  return seen
}

async function expectThere(site: string, upload: Upload): Promise<void> {
  const answer = await fetch(`${site}${objectAt(upload)}`, { headers: { Authorization } })
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect([upload.oid, answer.status, bytes.equals(upload.bytes)]).toEqual([upload.oid, 200, true])
}

/** Expects that each file has its bytes, and that the clean-up knows all others. */
async function expectKnown(data: string, db: Db): Promise<void> {
  const { rows: files } = await sql<{ key: string; size: number }>`select key, size from files`.execute(db)
  for (const { key, size } of files)
    expect([key, (await stat(join(data, 'files', key))).size]).toEqual([key, size])
  const { rows: leftovers } = await sql<{ key: string }>`select key from file_leftovers`.execute(db)
  const known = new Set([...files, ...leftovers].map(({ key }) => key))
  expect(filesBelow(join(data, 'files')).filter((key) => !known.has(key))).toEqual([])
}

/** Lets the server clean up as it would days later. */
async function cleanUp(db: Db): Promise<void> {
  await sql`update files set used_at = used_at - interval '7 days'`.execute(db)
  await sql`update file_leftovers set due_at = due_at - interval '7 days'`.execute(db)
  const source = { db, clock: systemClock, random: systemRandomness }
  await transact(source, { author: null, ip: null }, (tx) => enqueue(tx, cleanUpFiles, {}))
}

test(
  `${crashes} kills during uploads to LFS: what was acknowledged is there, the rest can be repeated, and nothing stays that nobody has`,
  { timeout: 60_000 + crashes * 20_000 },
  async () => {
    const data = await dataFolder()
    let server = await start(data)
    cleanups.push(() => killEverything(server.child, data))
    const api = new Client(server.url, { 'private-token': TOKEN })
    const paths = ['root/one', 'root/other']
    for (const path of paths) await api.post('/projects', { name: path.slice('root/'.length) })
    const kept: Upload[] = []
    let acknowledged = 0
    for (let crash = 0; crash < crashes; crash += 1) {
      let taken = 0
      const work = LANES.map((size) => uploading(server.url, paths, size, () => (taken += 1)))
      // However slow the machine is, something is acknowledged, and more is under way.
      await until(() => expect(taken).toBeGreaterThan(0))
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 600))
      await killEverything(server.child, data)
      const killed = new Date()
      const seen = (await Promise.all(work)).flat()
      server = await start(data)
      await giveUpOn(data, killed)
      const done = seen.filter(({ isAcknowledged }) => isAcknowledged).map(({ upload }) => upload)
      const cut = seen.filter(({ isAcknowledged }) => !isAcknowledged).map(({ upload }) => upload)
      acknowledged += done.length
      for (const upload of done) await expectThere(server.url, upload)
      await onDatabase(data, (pool) => expectKnown(data, openDb(pool)))
      // Some come back, and others never do.
      const again = cut.filter((_, index) => index % 2 === 0)
      for (const upload of again) expect(await put(server.url, upload)).toBe(200)
      kept.push(...done.slice(-20), ...again)
      await onDatabase(data, async (pool) => {
        const db = openDb(pool)
        await cleanUp(db)
        await until(async () => {
          const { rows: left } = await sql`select key from file_leftovers`.execute(db)
          const { rows: unused } = await sql`
            select id from files f where not exists (select 1 from lfs_objects o where o.file_id = f.id)`.execute(
            db,
          )
          expect([left, unused]).toEqual([[], []])
        })
        await expectKnown(data, db)
      })
      for (const upload of kept) await expectThere(server.url, upload)
    }
    expect(acknowledged).toBeGreaterThan(0)
  },
)
