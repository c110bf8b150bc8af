import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Type } from 'typebox'
import { afterAll } from 'vitest'
import { anyone, writes } from '#platform/access/route-access.ts'
import { buildApp } from '#app.ts'
import { raw, streamed } from '#platform/http/body-kind.ts'
import { defaultTransport, type Transport } from '#platform/http/transport.ts'
import { w } from './world.ts'

export interface TransportApp {
  readonly app: FastifyInstance
  readonly url: string
  /** Lets the route `/test/slow-stream` begin to read. */
  letThrough(): void
}

const answer = { summary: 'Test', response: { 200: Type.Object({ bytes: Type.Integer() }) } }

/** The program with other bounds, and with routes that take their body as a stream and raw. */
async function openTransportApp(transport: Partial<Transport> = {}): Promise<TransportApp> {
  const app = await unlistening(transport)
  const { promise: open, resolve: letThrough } = Promise.withResolvers<void>()
  const passOn = { config: { ...writes(anyone), ...streamed }, schema: answer }
  app.post('/api/v4/test/stream', passOn, async (req) => count(req.bodyStream()))
  app.post('/api/v4/test/slow-stream', passOn, async (req) => {
    await open
    return count(req.bodyStream())
  })
  app.post(
    '/api/v4/test/raw',
    { config: { ...writes(anyone), ...raw(1_000) }, schema: answer },
    async (req) => ({ bytes: (await req.bodyBytes().all()).length }),
  )
  return { app, url: await app.listen({ host: '127.0.0.1', port: 0 }), letThrough }
}

/** Opens programs with bounds of their own for the tests of a file, and closes them when those are over. */
export function transportApps(): (transport?: Partial<Transport>) => Promise<TransportApp> {
  const apps: FastifyInstance[] = []
  afterAll(() => Promise.all(apps.map((app) => app.close())))
  return async (transport) => {
    const opened = await openTransportApp(transport)
    apps.push(opened.app)
    return opened
  }
}

/** The program before it listens. */
export const unlistening = (transport: Partial<Transport> = {}): Promise<FastifyInstance> =>
  buildApp(w.running.services, pino({ level: 'fatal' }), { ...defaultTransport, ...transport })

async function count(stream: AsyncIterable<Buffer>): Promise<{ bytes: number }> {
  let bytes = 0
  for await (const piece of stream) bytes += piece.length
  return { bytes }
}
