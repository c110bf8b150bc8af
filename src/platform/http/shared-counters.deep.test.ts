import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort, redis, redisInstalled } from '#test/redis.ts'
import { Client } from '#test/client.ts'
import { openWorld } from '#test/world.ts'
import { changeSettings } from '#platform/settings/change-settings.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { until } from '#test/until.ts'

if (!redisInstalled) console.log("skipped: Debian's redis-server is not installed")

/** Two servers on one database and, unless it is away, one Redis; and what they log. */
async function twoServers(url: string, settings: Partial<Settings> = {}) {
  const own = await openWorld()
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const env = { FORGELET_REDIS_URL: url }
  const servers = [await own.another(log, env), await own.another(log, env)] as const
  onTestFinished(async () => {
    for (const server of servers) await server.stop()
    await own.running.stop()
  })
  await own.write((tx) =>
    changeSettings(tx, {
      throttle_authenticated_api_enabled: true,
      throttle_authenticated_api_requests_per_period: 1000,
      ...settings,
    }),
  )
  for (const { services } of servers) await services.settingsView.reload()
  const [first, second] = servers.map(({ url: base }) => async (token: string = own.root.token) => {
    const answer = await new Client(base, { 'private-token': token }).get('/user')
    return { status: answer.status, observed: Number(answer.headers.get('ratelimit-observed')) }
  })
  if (first === undefined || second === undefined) throw new Error('There are two servers')
  const readiness = async () => {
    const answer = await fetch(`${servers[0].url}/-/readiness`)
    const body = (await answer.json()) as { status: string; redis_check: unknown }
    return { answer: answer.status, status: body.status, redis: body.redis_check }
  }
  return { own, servers, first, second, readiness, lines }
}

const ready = { answer: 200, status: 'ok', redis: [{ status: 'ok' }] }
const degraded = {
  answer: 200,
  status: 'ok',
  redis: [{ status: 'degraded', message: 'is not connected: limits are not shared' }],
}

describe.skipIf(!redisInstalled)('with a Redis', { timeout: 180_000 }, () => {
  test('two servers share a limit; without it requests go on; when it is back, so is the limit', async () => {
    const store = await redis()
    const { first, second, readiness, lines } = await twoServers(store.url)
    expect([await first(), await second(), await first()].map(({ observed }) => observed)).toEqual([1, 2, 3])
    expect(await readiness()).toEqual(ready)
    expect(lines).toEqual([])

    await store.kill()
    await until(async () => expect(await readiness()).toEqual(degraded))
    expect([await first(), await first(), await second()]).toEqual([
      { status: 200, observed: 1 },
      { status: 200, observed: 2 },
      { status: 200, observed: 1 },
    ])
    // Each server says it once, however many requests there are.
    await until(() => expect(lines.filter((line) => line.includes('limits are not shared'))).toHaveLength(2))

    await store.start()
    await until(async () => expect(await readiness()).toEqual(ready))
    await until(async () => expect((await second()).observed).toBe(1))
    expect([await first(), await second()].map(({ observed }) => observed)).toEqual([2, 3])
  })

  test('one that hangs holds up requests once, for a moment', async () => {
    const store = await redis()
    const { first, second, readiness } = await twoServers(store.url)
    expect([(await first()).observed, (await second()).observed]).toEqual([1, 2])
    store.freeze()
    const found = await Promise.all([first(), first()])
    const begun = performance.now()
    for (let count = 0; count < 28; count += 1) found.push(await first())
    expect(found.map(({ status }) => status)).toEqual(Array(30).fill(200))
    // Half a second each; one that is held up waits for a whole one.
    expect(performance.now() - begun).toBeLessThan(14_000)
    store.thaw()
    await until(async () => expect(await readiness()).toEqual(ready))
    const { observed } = await first()
    await until(async () => expect((await second()).observed).toBeGreaterThan(observed))
  })

  test('wrong credentials are counted for the address on all servers together', async () => {
    const store = await redis()
    const { first, second } = await twoServers(store.url, { failed_authentication_limit: 4 })
    const found: number[] = []
    for (const ask of [first, second, first, second, first, second, first])
      found.push((await ask('glpat-wrong')).status)
    // Each server learns by the failure past the limit.
    expect(found).toEqual([401, 401, 401, 401, 401, 429, 429])
    expect((await second()).status).toBe(429)
  })

  test('with a password it works, too', async () => {
    const store = await redis('the-password-of-redis')
    const { first, second, lines } = await twoServers(store.url)
    expect([(await first()).observed, (await second()).observed]).toEqual([1, 2])
    expect(lines).toEqual([])
  })

  test('a wrong password is in no log', async () => {
    const store = await redis('the-password-of-redis')
    const { first, second, lines } = await twoServers(store.url.replace('the-password', 'another-password'))
    expect([(await first()).status, (await second()).status]).toEqual([200, 200])
    expect(lines.filter((line) => line.includes('limits are not shared'))).toHaveLength(2)
    expect(lines.join('')).not.toMatch(/the-password|another-password/)
  })
})

test('a server starts and answers while its Redis is away', { timeout: 180_000 }, async () => {
  const { first, readiness, lines } = await twoServers(`redis://127.0.0.1:${await freePort()}`)
  expect([await first(), await first()].map(({ observed }) => observed)).toEqual([1, 2])
  expect(await readiness()).toEqual(degraded)
  expect(lines.filter((line) => line.includes('limits are not shared'))).toHaveLength(1)
})
