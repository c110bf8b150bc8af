import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { w, type World } from '#test/world.ts'
import { DISABLED_AFTER } from './failures.ts'

/** A request that a receiver got. */
export interface Received {
  readonly headers: IncomingMessage['headers']
  readonly path: string
  readonly text: string
  /** As JSON; tests say by their expectations what it should be. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: Received[]
  /** Closes the port. */
  stop(): Promise<void>
  /** Waits until so many requests have come. */
  has(count: number): Promise<readonly Received[]>
}

type Answer = (request: Received, response: ServerResponse) => void

const ok: Answer = (_, response) => response.writeHead(200).end('taken')

/** A receiver of webhooks for one test. @param port by default any */
export async function receiver(answer: Answer = ok, port = 0): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      const body: unknown = text === '' ? undefined : JSON.parse(text)
      const one = { headers: request.headers, path: request.url ?? '', text, body }
      received.push(one)
      answer(one, response)
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => close(server))
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${bound}/hook`,
    port: bound,
    received,
    stop: () => close(server),
    has: async (count) => {
      await expect.poll(() => received.length).toBeGreaterThanOrEqual(count)
      return received
    },
  }
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  if (server.listening) await new Promise((resolve) => server.close(resolve))
}

/** Lets hooks reach receivers of this machine while the tests of a file run. */
export function allowReceivers(): void {
  const allow = (hosts: readonly string[]) =>
    w.root.put('/application/settings', { outbound_local_requests_whitelist: hosts })
  beforeAll(async () => void (await allow(['127.0.0.1'])))
  afterAll(async () => void (await allow([])))
}

/**
 * Waits until nothing is left to be told or sent, but for hooks of other tests that are disabled or lead nowhere, and for
 * what cannot be told because other tests broke its repository.
 */
export async function settled(world: World = w): Promise<void> {
  const waiting = async () => {
    const facts = await world.db
      .selectFrom('hook_facts as f')
      .select(['f.name', 'f.shard', 'f.tries', 'f.at'])
      .where(
        sql<boolean>`not exists (select 1 from hook_facts failed
          where failed.namespace_id = f.namespace_id and failed.retry_at is not null)`,
      )
      .execute()
    const deliveries = await world.db
      .selectFrom('hook_deliveries as d')
      .innerJoin('hooks as h', 'h.id', 'd.hook_id')
      .select(['d.hook_id', 'h.url', 'h.failures', 'd.attempts'])
      .where('h.paused_until', 'is', null)
      .where('h.failures', '<', DISABLED_AFTER)
      .where('h.url', 'not like', '%.invalid/%')
      .execute()
    return [...facts, ...deliveries]
  }
  await expect.poll(waiting).toEqual([])
}
