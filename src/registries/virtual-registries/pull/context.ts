import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Log } from '#platform/context.ts'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { OutgoingAnswer } from '#platform/outgoing/outgoing.ts'
import type { KnownUpstream } from '../cache/entries.ts'
import { Usage } from '../cache/usage.ts'
import { openCredentials } from '../credentials.ts'
import { IdentificationFailed } from '../remote/identification.ts'
import { type Question, type Remote, Remotes } from '../remote/remotes.ts'
import { Bearers } from '../../oci/bearer.ts'
import { type UpstreamResult, type BlobFound, deniedBy, failed, type ManifestFound } from './found.ts'
import { type CacheMetrics, registerMetrics } from './metrics.ts'
import { Flights } from './flights.ts'
import { recentBytes } from '../../oci/recent-bytes.ts'
import { Room } from './room.ts'
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
  readonly recent = recentBytes()
  readonly room: Room
  readonly metrics: CacheMetrics
  readonly #trials = new Map<number, Promise<UpstreamResult>>()
  readonly #closing = new AbortController()

  constructor(services: FastifyInstance['services'], log: Log) {
    this.services = services
    this.log = log
    this.bearers = new Bearers(services)
    this.remotes = new Remotes(services.outgoing)
    this.room = new Room(services)
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

  /** Whether an upstream is to be left alone, if somebody else can answer. */
  isResting({ id }: KnownUpstream): boolean {
    return this.states.pauseOf(id) !== undefined
  }

  /**
   * Asks an upstream. One that has failed just now is asked, too: whoever has another answer looks at
   * {@link isResting} before. One that asks to be left alone is not.
   */
  async ask(upstream: KnownUpstream, question: Question): Promise<UpstreamResult> {
    const { id, name } = upstream
    const pause = this.states.pauseOf(id)
    if (pause === undefined) return this.#askNow(upstream, question)
    if (pause.told) return failed(pause.limited ? 'limited' : 'down', name, pause.left)
    // One request finds out whether it is back. The others wait for that.
    const trial = this.#trials.get(id)
    if (trial !== undefined) {
      const outcome = await trial
      return outcome.kind === 'failed' ? outcome : this.#askNow(upstream, question)
    }
    const own = this.#askNow(upstream, question)
    this.#trials.set(id, own)
    try {
      return await own
    } finally {
      this.#trials.delete(id)
    }
  }

  /**
   * Asks whether an upstream has something, without getting it. Some registries refuse HEAD, or find nothing by it, so
   * GET decides then; whoever gets an answer destroys its body.
   */
  async askHead(upstream: KnownUpstream, question: Omit<Question, 'method'>): Promise<UpstreamResult> {
    const found = await this.ask(upstream, { ...question, method: 'HEAD' })
    if (found.kind === 'answer' || this.isResting(upstream)) return found
    return this.ask(upstream, { ...question, method: 'GET' })
  }

  async #askNow(upstream: KnownUpstream, question: Question): Promise<UpstreamResult> {
    const { id, name } = upstream
    let answer: OutgoingAnswer
    try {
      answer = await this.remotes.ask(await this.remoteOf(upstream), { signal: this.signal, ...question })
    } catch (error) {
      return this.#failureOf(error, upstream)
    }
    const { status, headers, body } = answer
    this.states.noteAnswer(id, status, headers)
    if ((status >= 200 && status < 300) || status === 304) return { kind: 'answer', answer }
    body.destroy()
    if (status === 404) return { kind: 'absent' }
    if (status === 401 || status === 403) return deniedBy(name)
    this.log.warn({ upstream: id, status }, 'an upstream has refused')
    return failed(status === 429 ? 'limited' : 'down', name, this.states.pauseOf(id)?.left)
  }

  #failureOf(error: unknown, { id, name }: KnownUpstream): UpstreamResult {
    if (error instanceof IdentificationFailed) {
      if (error.isAboutImage) return deniedBy(name)
      this.log.warn({ err: error, upstream: id }, 'an upstream does not know who asks')
      const { status, headers } = error
      // Other answers may be about one image, so they are no reason to leave the upstream alone.
      if (status === undefined) this.states.noteDown(id)
      else if (status === 429 || status >= 500) this.states.noteAnswer(id, status, headers)
      const isRefused = status !== undefined && status >= 400 && status < 500
      if (status === 429) return failed('limited', name, this.states.pauseOf(id)?.left)
      return failed(isRefused ? 'unidentified' : 'down', name, this.states.pauseOf(id)?.left)
    }
    if (!(error instanceof OutgoingFailed)) throw error
    this.log.warn({ err: error, upstream: id }, 'an upstream has not answered')
    if (error.reason === 'refused') return failed('refused', name)
    if (error.reason !== 'large') this.states.noteDown(id)
    return failed('down', name)
  }
}
