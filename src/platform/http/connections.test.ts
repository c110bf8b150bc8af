import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '#server-options.ts'
import { RawConnection } from '#test/raw.ts'
import { w } from '#test/world.ts'

const opened: RawConnection[] = []
const servers: RunningServer[] = []
afterAll(async () => {
  for (const connection of opened) connection.end()
  for (const server of servers) await server.stop()
})

async function serverWith(env: Readonly<Record<string, string>>): Promise<RunningServer> {
  const server = await w.another(undefined, env)
  servers.push(server)
  return server
}

/** Opens so many connections, and tells how many of them answer. */
async function open(url: string, count: number): Promise<number> {
  const statuses: number[] = []
  for (let made = 0; made < count; made += 1) {
    const connection = await RawConnection.open(url)
    opened.push(connection)
    connection.head('GET /-/liveness')
    statuses.push(await connection.status())
  }
  return statuses.filter((status) => status === 200).length
}

async function closeAll(): Promise<void> {
  for (const connection of opened.splice(0)) {
    connection.end()
    await connection.closed()
  }
}

describe('connections of one address', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await serverWith({ FORGELET_MAX_CONNECTIONS_PER_ADDRESS: '3' })
  })

  test('have a maximum, and are heard again when others are closed', async () => {
    expect(await open(server.url, 6)).toBe(3)
    expect(await server.services.metrics.print()).toMatch(
      /^forgelet_limit_refusals_total\{limit="connections_of_an_address"\} 3$/m,
    )
    await closeAll()
    await expect.poll(() => open(server.url, 1)).toBe(1)
    await closeAll()
  })
})

test('connections of trusted proxies have none', async () => {
  const { url } = await serverWith({
    FORGELET_MAX_CONNECTIONS_PER_ADDRESS: '3',
    FORGELET_TRUSTED_PROXIES: '127.0.0.0/8,::1',
  })
  expect(await open(url, 6)).toBe(6)
  await closeAll()
})

test('all connections together have a maximum', async () => {
  const { url, services } = await serverWith({
    FORGELET_MAX_CONNECTIONS: '4',
    FORGELET_TRUSTED_PROXIES: '127.0.0.1',
  })
  expect(await open(url, 6)).toBe(4)
  expect(await services.metrics.print()).toMatch(/^forgelet_limit_refusals_total\{limit="connections"\} 2$/m)
  await closeAll()
})
