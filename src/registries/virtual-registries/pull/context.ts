import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Log } from '#platform/context.ts'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { OutgoingAnswer } from '#platform/outgoing/outgoing.ts'
import type { KnownUpstream } from '../cache/entries.ts'
import { Usage } from '../cache/usage.ts'
import { openCredentials } from '../credentials.ts'
import { type Question, type Remote, Remotes } from '../remote/remotes.ts'
import { Bearers } from './bearer.ts'
import { type Asked, type BlobFound, failed, type ManifestFound } from './found.ts'
import { type CacheMetrics, registerMetrics } from './metrics.ts'
import { Flights } from './flights.ts'
import { RecentBytes } from './recent-bytes.ts'
import { UpstreamStates } from './upstream-state.ts'

/** What pulls share in a process. */
export class PullContext {
  readonly services: FastifyInstance['services']
  readonly log: Log
  readonly bearers: Bearers
  readonly remotes: Remotes
  readonly states = new UpstreamStates()
  readonly usage: Usage
  readonly blobs = new Flights<BlobFound>()
  readonly manifests = new Flights<ManifestFound>()
  readonly recent = new RecentBytes()
  readonly metrics: CacheMetrics
  readonly #closing = new AbortController()

  constructor(services: FastifyInstance['services'], log: Log) {
    this.services = services
    this.log = log
    this.bearers = new Bearers(services)
    this.remotes = new Remotes(services.outgoing)
    this.usage = new Usage(services, (error) => log.warn({ err: error }, 'uses of cached images not written'))
    this.metrics = registerMetrics(services.metrics, services.db)
  }

  /** Aborted when the process stops. */
  get signal(): AbortSignal {
    return this.#closing.signal
  }

  /** Where bytes are put while they come; on the disk of the files, so that they can be moved there. */
  get spool(): string {
    return join(this.services.config.data, 'registry-spool')
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the server stops'))
    await Promise.all([this.blobs.settled(), this.manifests.settled()])
    await this.usage.flush()
  }

  async remoteOf({ url, username, password }: KnownUpstream): Promise<Remote> {
    return { url, credentials: await openCredentials(this.services, { username, password }) }
  }

  /**
   * Asks an upstream, unless it is to be left alone.
   * @returns `absent` for what it does not have, or not for us.
   */
  async ask(upstream: KnownUpstream, question: Question): Promise<Asked> {
    const { id, name } = upstream
    const pause = this.states.pauseOf(id)
    if (pause !== undefined) return failed(pause.limited ? 'limited' : 'down', name, pause.left)
    let answer: OutgoingAnswer
    try {
      answer = await this.remotes.ask(await this.remoteOf(upstream), { signal: this.signal, ...question })
    } catch (error) {
      if (!(error instanceof OutgoingFailed)) throw error
      this.log.warn({ err: error, upstream: id }, 'an upstream has not answered')
      if (error.reason === 'refused') return failed('refused', name)
      this.states.noteDown(id)
      return failed('down', name)
    }
    const { status, headers, body } = answer
    if ((status >= 200 && status < 300) || status === 304) return { kind: 'answer', answer }
    body.destroy()
    this.states.noteAnswer(id, status, headers)
    if (status === 401 || status === 403 || status === 404) return { kind: 'absent' }
    this.log.warn({ upstream: id, status }, 'an upstream has refused')
    return failed(status === 429 ? 'limited' : 'down', name, this.states.pauseOf(id)?.left)
  }
}
