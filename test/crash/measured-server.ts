import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { defaultTransport } from '#platform/http/transport.ts'
import { startServer } from '#server.ts'

// A Forgelet in a process of its own that says what memory it holds, when it is asked. Run with --expose-gc.

const { url } = await startServer({
  config: readConfig(process.env),
  log: pino({ level: process.env['TEST_LOG'] ?? 'fatal' }, pino.destination(2)),
  withPassword: false,
  transport: {
    ...defaultTransport,
    inMemory: { idle: 2_000, wait: 4_000, bytesPerSecond: Number.POSITIVE_INFINITY },
    rest: { ...defaultTransport.rest, milliseconds: 1_000 },
  },
})
process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send?.({ held: heapUsed + external, rss })
})
process.send?.({ url })
