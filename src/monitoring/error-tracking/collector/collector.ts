import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Log } from '#platform/context.ts'
import { affectedBy } from './affected.ts'
import { publicKeyIn, publicKeyOf } from './credentials.ts'
import { decode } from './decode.ts'
import { type Envelope, readEvent } from './envelope.ts'
import { idOf, keptOf } from './event.ts'
import { type KnownKey, KeyFinder } from './find-key.ts'
import { Inbox } from './inbox.ts'
import type { Json } from './json.ts'
import { type CollectorMetrics, registerMetrics } from './metrics.ts'
import { inactive, limited, unauthenticated, wrongKey } from './refusal.ts'
import { scrubEvent } from './scrub.ts'

/** A request of an SDK. */
export interface Sent {
  readonly projectId: number
  readonly headers: IncomingHttpHeaders
  readonly query: unknown
  readonly ip: string
  readonly body: Buffer
  /** Counts bytes in the memory of all bodies. */
  readonly claim: (bytes: number) => void
}

type Services = FastifyInstance['services']

/** Takes what programs report: checks it, takes personal data out, and keeps it for a job to group. */
export class Collector {
  readonly #services: Services
  readonly #keys: KeyFinder
  readonly #inbox: Inbox
  readonly #metrics: CollectorMetrics
  #secret: Buffer | undefined

  constructor(services: Services, log: Log) {
    this.#services = services
    this.#keys = new KeyFinder(services.db)
    this.#inbox = new Inbox(services, log)
    this.#metrics = registerMetrics(services.metrics)
  }

  close(): Promise<void> {
    return this.#inbox.close()
  }

  /**
   * Takes a request.
   * @param read takes its body apart.
   * @returns the id of the event in it, if there is one.
   * @throws what SDKs expect: 400, 401, 403, 413, 415 and 429
   */
  async take(sent: Sent, read: (bytes: Buffer) => Envelope): Promise<{ id?: string }> {
    const early = publicKeyOf(sent)
    const key = early === undefined ? undefined : await this.#authorize(early, sent.projectId)
    const envelope = read(await decode(sent.body, sent.headers['content-encoding'], sent.claim))
    const known = key ?? (await this.#authorizeLate(envelope, sent.projectId))
    const id = idOf(envelope.head['event_id'])
    const kept: string[] = []
    for (const { type, payload } of envelope.items) {
      if (type !== 'event') {
        this.#metrics.count(type, 'dropped')
        continue
      }
      const event = readEvent(payload)
      await this.#assertRoom(known)
      kept.push(await this.#keep(event, id, known, sent.ip))
    }
    const [first] = kept
    return first === undefined ? {} : { id: first }
  }

  /** @throws 403 */
  async #authorize(publicKey: string, projectId: number): Promise<KnownKey> {
    const key = await this.#keys.find(publicKey)
    if (key === undefined || key.projectId !== projectId) throw wrongKey()
    if (!key.active) throw inactive()
    return key
  }

  async #authorizeLate({ head }: Envelope, projectId: number): Promise<KnownKey> {
    const key = publicKeyIn(head['dsn'])
    if (key === undefined) throw unauthenticated()
    return this.#authorize(key, projectId)
  }

  async #keep(
    event: Json,
    id: string | undefined,
    { projectId, scrubs }: KnownKey,
    ip: string,
  ): Promise<string> {
    const { clock, random } = this.#services
    const kept = keptOf(withAddress(event, ip), clock.now(), () => id ?? random.bytes(16).toString('hex'))
    this.#secret ??= this.#services.secrets.derive('people affected by errors')
    const affected = affectedBy(kept, projectId, this.#secret)
    const shown = scrubs ? scrubEvent(kept) : kept
    await this.#inbox.append(projectId, JSON.stringify({ ...shown, affected }))
    this.#metrics.count('event', 'kept')
    return kept.event_id
  }

  /** Lets some events in while the jobs are behind, and none while this process has enough. @throws 429 */
  async #assertRoom({ projectId }: KnownKey): Promise<void> {
    const { limits, random, settings } = this.#services
    const { error_tracking_backlog_limit: most, error_tracking_events_per_minute: perMinute } = settings()
    const share = 1 - (this.#inbox.backlog - most) / most
    if (this.#inbox.full || (share < 1 && share * 256 <= (random.bytes(1)[0] ?? 0)))
      throw this.#limit('overload')
    if (perMinute === 0) return
    const { times } = await limits.count('error_tracking_events_per_minute', projectId, 60)
    if (times <= perMinute) return
    limits.noteRefusal('error_tracking_events_per_minute')
    throw this.#limit('quota')
  }

  #limit(reason: string) {
    this.#metrics.count('event', 'limited')
    return limited(reason)
  }
}

/** Puts the sender's address where an SDK asks for it. */
function withAddress(event: Json, ip: string): Json {
  const { user } = event
  const asked = typeof user === 'object' && user !== null && 'ip_address' in user
  return asked && user.ip_address === '{{auto}}' ? { ...event, user: { ...user, ip_address: ip } } : event
}
