import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { digestOf } from '#test/fake-registry.ts'
import { cleanUpFiles } from '#platform/files/clean-up.ts'
import { makeRoom } from '../cache/evict.ts'
import { own, withVirtualRegistries } from '../test-support.ts'
import { bytesOf, closingRegistries, fill, limitTo, virtual } from './test-support.ts'

// No group drives out what the others keep, or keeps them from pulling. What was evicted counts for minutes, so each file
// has few tests of it.

withVirtualRegistries({ local: true })
closingRegistries()

const MEGABYTE = 1024 * 1024
afterEach(async () => {
  await own.db.deleteFrom('container_cache_entries').execute()
  await limitTo(0)
})

const codeOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).errors[0].code

describe('what is kept of images', () => {
  test('does not go for what an upstream announces and does not send', async () => {
    await limitTo(4)
    const [place, evil] = [await virtual(), await virtual()]
    await fill(place, 3)
    evil.source.behave = (_, response) => {
      response.writeHead(200, { 'content-length': 2 * MEGABYTE }).write('x')
      return true
    }
    const first = await evil.ask(`a/blobs/${digestOf('evil')}`)
    expect([first.status, await bytesOf(place)]).toEqual([200, 3 * MEGABYTE])
    const second = await evil.pull(`a/blobs/${digestOf('more evil')}`)
    expect([second.status, codeOf(second)]).toEqual([503, 'UNAVAILABLE'])
    await fill(place, 1)
    expect(await bytesOf(place)).toBeGreaterThanOrEqual(3 * MEGABYTE)
    await first.body?.cancel()
  })

  test('goes for what a group sends where that group keeps more than others do, though they do not use theirs', async () => {
    await limitTo(8)
    const [idle, busy] = [await virtual(), await virtual()]
    await fill(idle, 2)
    await sql`update container_cache_entries set downloaded_at = now() - interval '1 day'`.execute(own.db)
    await fill(busy, 7)
    expect(await bytesOf(idle)).toBe(2 * MEGABYTE)
    expect(await bytesOf(busy)).toBeLessThanOrEqual(6 * MEGABYTE)
  })

  test('has no files cleaned up where nothing could be evicted', async () => {
    const { group } = await virtual()
    const cleanUps = async () =>
      (
        await own.running.services.pool.query(
          `select 1 from graphile_worker.jobs where task_identifier = $1`,
          [cleanUpFiles.name],
        )
      ).rows.length
    const before = await cleanUps()
    expect(await makeRoom(own.running.services, group.id, MEGABYTE)).toBe(0)
    expect(await cleanUps()).toBe(before)
  })
})
