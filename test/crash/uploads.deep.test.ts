import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openDb } from '#platform/db/pool.ts'
import { fileForm } from '#planning/uploads/test-support.ts'
import { Client } from '#test/client.ts'
import { filesBelow } from '#test/s3.ts'
import { until } from '#test/until.ts'
import { dataFolder, giveUpOn, killEverything, onDatabase, start, TOKEN } from './killing.ts'

/** Each takes three seconds. More find more: `CRASHES=20`. */
const crashes = Number(process.env['CRASHES'] ?? 2)
/** Bytes of a file, for each of those who upload one after the other. */
const LANES = [100, 30_000, 300_000, 5_000_000]

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** Uploads files until the server is killed. @param done gets the addresses of those that were acknowledged, with their texts */
async function uploading(api: Client, size: number, done: Map<string, string>): Promise<void> {
  for (let n = 0; ; n += 1) {
    const text = `${size} ${n} ${Math.random()} `.repeat(Math.ceil(size / 20)).slice(0, size)
    try {
      const { status, body } = await api.send('POST', '/projects/root%2Fone/uploads', {
        form: fileForm(text, 'x.txt'),
      })
      expect(status).toBe(201)
      done.set(body.url, text)
    } catch (error) {
      if (error instanceof TypeError) return
      throw error
    }
  }
}

test(
  `${crashes} kills during uploads: what was acknowledged is there, and the store has nothing that no row knows`,
  { timeout: 60_000 + crashes * 20_000 },
  async () => {
    const data = await dataFolder()
    let server = await start(data)
    cleanups.push(() => killEverything(server.child, data))
    const kept = new Map<string, string>()
    await new Client(server.url, { 'private-token': TOKEN }).post('/projects', { name: 'one' })
    for (let crash = 0; crash < crashes; crash += 1) {
      const api = new Client(server.url, { 'private-token': TOKEN })
      const before = kept.size
      const work = LANES.map((size) => uploading(api, size, kept))
      // However slow the machine is, something is acknowledged, and more is under way.
      await until(() => expect(kept.size).toBeGreaterThan(before))
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 700))
      await killEverything(server.child, data)
      const killed = new Date()
      await Promise.all(work)
      server = await start(data)
      await giveUpOn(data, killed)
      const again = new Client(server.url, { 'private-token': TOKEN })
      for (const [url, text] of kept) {
        const found = await again.get(`/projects/root%2Fone${url}`)
        expect([url, found.status, found.text === text]).toEqual([url, 200, true])
      }
      await onDatabase(data, async (pool) => {
        const db = openDb(pool)
        const { rows } = await sql<{ key: string }>`
          select key from files union all select key from file_leftovers`.execute(db)
        const known = new Set(rows.map(({ key }) => key))
        expect(filesBelow(join(data, 'files')).filter((key) => !known.has(key))).toEqual([])
        const { rows: sums } = await sql`
          select (s.size - (select sum(u.size) from uploads u where u.namespace_id = s.namespace_id))::bigint as difference
          from upload_sizes s`.execute(db)
        expect(sums).toEqual([{ difference: 0 }])
      })
    }
    expect(kept.size).toBeGreaterThan(0)
  },
)
