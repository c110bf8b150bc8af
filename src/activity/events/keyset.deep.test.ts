import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { openDb } from '#platform/db/pool.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { record, writeFacts } from '#platform/facts/record.ts'
import { type Answer, type Client, linkTo } from '#test/client.ts'
import { type Place, unique, w } from '#test/world.ts'

// Events are written by several nodes at once and are committed in another order than their ids were given.

let p: Place & { namespaceId: number }
let feed: string
beforeAll(async () => {
  p = await w.project()
  feed = `/projects/${p.id}/events?pagination=keyset`
})
// The first event of a stream, and the first activity of a minute, make others wait.
beforeEach(async () => {
  w.clock.hold('2034-01-01T00:00:00.000Z')
  await w.write(async (tx) => record(tx, push('first')), p.developer)
  await shown()
})

/** The feed waits for older transactions of the whole PostgreSQL, so for those of other tests, too. */

/** Waits until the feed has all that was committed, so that nothing of it comes while a test looks for something else. */
async function shown(): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select id from events where project_id = ${p.id} order by xact_id desc, id desc limit 1`.execute(w.db)
  await expect
    .poll(async () => idsOf(await p.owner.get(`${feed}&sort=desc&per_page=1`)))
    .toEqual([rows[0]?.id])
}

/** Writes an event without committing it: `commit` does that. */
async function begin() {
  const { promise: gate, resolve: commit } = Promise.withResolvers<void>()
  const { promise: written, resolve: told } = Promise.withResolvers<number>()
  const done = w.write(async (tx) => {
    record(tx, push(unique('branch')))
    await writeFacts(tx)
    told(await newestEvent(tx))
    await gate
  }, p.developer)
  const id = await written
  return {
    id,
    commit: async () => {
      commit()
      await done
    },
  }
}

const push = (ref: string) =>
  ({
    name: 'references pushed',
    namespace: p.namespaceId,
    target: { type: 'Project', id: p.id },
    details: {
      action: 'created',
      ref_type: 'branch',
      ref,
      ref_count: null,
      commit_from: null,
      commit_to: null,
      commit_count: 0,
      commit_title: null,
    },
  }) as const

async function newestEvent(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from events where project_id = ${p.id} and xact_id = pg_current_xact_id() order by id desc limit 1`.execute(
    tx.db,
  )
  return rows[0]?.id ?? 0
}

const idsOf = ({ body }: Answer): number[] => body.map(({ id }: { id: number }) => id)

/** Follows a feed as a client does that polls it. */
function poller(path: string, by: Client = p.owner) {
  let cursor: string | undefined
  const seen: number[] = []
  return {
    seen,
    /** Reads what has come, to its end. @returns the new ids */
    poll: async (): Promise<number[]> => {
      const before = seen.length
      for (;;) {
        const answer = await by.get(`${path}${cursor === undefined ? '' : `&cursor=${cursor}`}`)
        expect(answer.status).toBe(200)
        seen.push(...idsOf(answer))
        cursor = answer.headers.get('x-next-cursor') ?? cursor
        if (linkTo('next', answer) === undefined) return seen.slice(before)
      }
    },
  }
}

describe('a cursor', () => {
  test('passes by no event whose transaction began first and commits last', async () => {
    const { seen, poll } = poller(`${feed}&sort=asc&per_page=2`)
    await poll()
    const early = await begin()
    const late = await begin()
    expect(late.id).toBeGreaterThan(early.id)
    await late.commit()
    // The later one has to wait, or the earlier one would be behind the cursor.
    expect(await poll()).toEqual([])
    await early.commit()
    await expect.poll(async () => [...(await poll()), ...seen].slice(-2)).toEqual([early.id, late.id])
    expect(new Set(seen).size).toBe(seen.length)
    expect(await poll()).toEqual([])
  })

  test('passes by no event whose id is given before that of one which is committed first', async () => {
    const { seen, poll } = poller(`${feed}&sort=asc&per_page=1`)
    await poll()
    const open = await Promise.all([begin(), begin(), begin(), begin()])
    const ids = open.map(({ id }) => id)
    for (const one of open.toReversed()) {
      await one.commit()
      await poll()
    }
    await expect.poll(async () => (await poll(), ids.every((id) => seen.includes(id)))).toBe(true)
    expect(new Set(seen).size).toBe(seen.length)
  })

  test(
    'passes by nothing and repeats nothing while two nodes write at once',
    { timeout: 180_000 },
    async () => {
      const other = await w.another()
      const sources = [w.running.services, { ...other.services, db: openDb(other.services.pool) }]
      try {
        const { seen, poll } = poller(`${feed}&sort=asc&per_page=7`)
        const across = poller('/events?scope=all&pagination=keyset&sort=asc&per_page=5', p.maintainer)
        const own = poller('/events?pagination=keyset&sort=asc&per_page=3', p.developer)
        const writers = sources.flatMap((source) =>
          Array.from({ length: 3 }, async () => {
            for (let count = 0; count < 15; count += 1) {
              await transact(source, { author: p.developer, ip: null }, async (tx) => {
                // Gives the transaction its id at once, its event only later: others overtake it.
                await sql`select pg_current_xact_id()`.execute(tx.db)
                if (tx.random.bytes(1).readUInt8() % 2 === 0) {
                  record(tx, push('early'))
                  await writeFacts(tx)
                }
                await sql`select pg_sleep(${tx.random.bytes(1).readUInt8() / 25_000})`.execute(tx.db)
                record(tx, push('late'))
              })
            }
          }),
        )
        const state = { writing: true }
        const done = Promise.all(writers).finally(() => (state.writing = false))
        while (state.writing) await Promise.all([poll(), across.poll(), own.poll()])
        await done
        const { rows } = await sql<{ id: number }>`
        select id from events where project_id = ${p.id} order by xact_id, id`.execute(w.db)
        const all = rows.map(({ id }) => id)
        expect(all.length).toBeGreaterThan(90)
        for (const one of [{ seen, poll }, across, own]) {
          await expect.poll(async () => (await one.poll(), one.seen.length)).toBe(all.length)
          expect(one.seen).toEqual(all)
        }
      } finally {
        await other.stop()
      }
    },
  )

  test('goes back to the oldest while new ones come', async () => {
    const first = await p.owner.get(`${feed}&sort=desc&per_page=4`)
    const seen = idsOf(first)
    let next = linkTo('next', first)
    while (next !== undefined) {
      await w.write(async (tx) => record(tx, push(unique('branch'))), p.developer)
      const page = await p.owner.get(next)
      expect(page.headers.get('x-total')).toBeNull()
      seen.push(...idsOf(page))
      next = linkTo('next', page)
    }
    expect(new Set(seen).size).toBe(seen.length)
    const { rows } = await sql<{ id: number }>`
      select id from events where project_id = ${p.id} order by xact_id desc, id desc`.execute(w.db)
    const all = rows.map(({ id }) => id)
    expect(seen).toEqual(all.slice(all.indexOf(seen[0] ?? 0)))
  })

  test('of the newest page leads to what comes after it', async () => {
    const newest = await p.owner.get(`${feed}&per_page=1`)
    const cursor = newest.headers.get('x-prev-cursor')
    expect(idsOf(await p.owner.get(`${feed}&cursor=${cursor}`))).toEqual([])
    const { id, commit } = await begin()
    await commit()
    await expect.poll(async () => idsOf(await p.owner.get(`${feed}&cursor=${cursor}`))).toEqual([id])
  })

  test('of another list or order is refused', async () => {
    const { headers } = await p.owner.get(`${feed}&per_page=1&sort=asc`)
    const forged = Buffer.from(JSON.stringify(['yesterday', 1, 'n', 'created_at', 'desc'])).toString(
      'base64url',
    )
    const large = Buffer.from(JSON.stringify(['9'.repeat(19), 1, 'n', 'created_at', 'desc'])).toString(
      'base64url',
    )
    for (const cursor of [headers.get('x-next-cursor'), forged])
      expect((await p.owner.get(`${feed}&cursor=${cursor}`)).status).toBe(400)
    expect((await p.owner.get(`${feed}&cursor=${large}`)).status).toBe(200)
  })
})
