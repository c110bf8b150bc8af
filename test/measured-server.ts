import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { startServer } from '#server.ts'
import type { World } from './world.ts'

// A server in a process of its own, whose memory is nothing but its own; and how tests start one and ask it.

/** What a server says of itself, after it collected its garbage when it is told to. */
export interface Measures {
  /** Bytes of memory, as the operating system counts them. */
  readonly rss: number
  /** Connections to the database that no request holds. */
  readonly idle: number
  readonly connections: number
}

/** A server on the database of a world. */
export class MeasuredServer implements AsyncDisposable {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(url: string, child: ChildProcess) {
    this.url = url
    this.#child = child
  }

  static async start(world: World): Promise<MeasuredServer> {
    const child = fork(fileURLToPath(import.meta.url), {
      execArgv: ['--expose-gc'],
      env: { ...process.env, ...world.environment, FORGELET_PORT: '0' },
    })
    const [url] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) =>
        Promise.reject(new Error(`The server ended with ${String(code)}`)),
      ),
    ])
    return new MeasuredServer(String(url), child)
  }

  /** The id of its process. */
  get pid(): number {
    return this.#child.pid ?? -1
  }

  async measure(how: 'as it is' | 'collected' = 'as it is'): Promise<Measures> {
    const answer = once(this.#child, 'message')
    this.#child.send(how)
    return (await answer)[0] as Measures
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }
}

if (import.meta.main) {
  const log = pino({ level: process.env['TEST_LOG'] ?? 'fatal' }, pino.destination(2))
  const { url, services } = await startServer({
    config: readConfig(process.env),
    log,
    withPassword: false,
  })
  process.on('message', (how) => {
    if (how === 'collected') globalThis.gc?.()
    const { writes, reads, plannedOnce } = services.connections
    const pools = [writes.pool, reads.pool, plannedOnce.pool]
    const sum = (count: 'idleCount' | 'totalCount') => pools.reduce((all, pool) => all + pool[count], 0)
    const [idle, connections] = [sum('idleCount'), sum('totalCount')]
    process.send?.({ rss: process.memoryUsage.rss(), idle, connections } satisfies Measures)
  })
  process.on('disconnect', () => process.exit())
  process.send?.(url)
}
