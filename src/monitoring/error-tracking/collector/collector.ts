import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Log } from '#platform/context.ts'
import type { BodyBytes } from '#platform/http/body-bytes.ts'
import { affectedBy } from './affected.ts'
import { publicKeyIn, publicKeyOf } from './credentials.ts'
import { decode, decodeFirstLine } from './decode.ts'
import { type Envelope, MOST_HEAD, readEnvelope, readEvent, readHead } from './envelope.ts'
import { idOf, reduceEvent } from './event.ts'
import { type KnownKey, KeyFinder } from './find-key.ts'
import { Inbox } from './inbox.ts'
import type { Json } from './json.ts'
import { type CollectorMetrics, registerMetrics } from './metrics.ts'
import { inactive, limited, unauthenticated, wrongKey } from './refusal.ts'
import { scrubEvent } from './scrub.ts'

/** A request of an SDK. */
export interface SdkRequest {
  readonly projectId: number
  readonly headers: IncomingHttpHeaders
  readonly query: unknown
  readonly ip: string
  /** Read once the sender is known. */
  readonly body: Pick<BodyBytes, 'beginning' | 'all'>
  /** Counts bytes in the memory of all bodies. */
  readonly claim: (bytes: number) => void
}

/** What a body is: an envelope, an event alone, or what it looks like. */
export type BodyForm = 'envelope' | 'event' | 'either'

/** More bytes than the head of an envelope has, however it is compressed. */
const BEGINNING = 64 * 1024

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
   * Takes a request. Only when its key is known, the body is read, decompressed and taken apart.
   * @returns the id of the event in it, if there is one.
   * @throws what SDKs expect: 400, 401, 403, 413, 415 and 429
   */
  async take(sent: SdkRequest, form: BodyForm): Promise<{ id?: string }> {
    const { headers, body, claim, projectId } = sent
    const key = publicKeyOf(sent) ?? (form === 'envelope' ? await keyInBody(sent) : undefined)
    if (key === undefined) throw unauthenticated()
    const known = await this.#authorize(key, projectId)
    const bytes = await decode(await body.all(), headers['content-encoding'], claim)
    const isEnvelope = form === 'envelope' || (form === 'either' && bytes.includes('\n'))
    const envelope = isEnvelope ? readEnvelope(bytes) : envelopeOf(bytes)
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

  async #keep(
    event: Json,
    id: string | undefined,
    { projectId, scrubs }: KnownKey,
    ip: string,
  ): Promise<string> {
    const { clock, random } = this.#services
    const kept = reduceEvent(
      withAddress(event, ip),
      clock.now(),
      () => id ?? random.bytes(16).toString('hex'),
    )
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

/** The key in the DSN that the head of an envelope has; undefined for none. Nothing but the head is read. */
async function keyInBody({ headers, body }: SdkRequest): Promise<string | undefined> {
  const beginning = await body.beginning(BEGINNING)
  const line = await decodeFirstLine(beginning, headers['content-encoding'], MOST_HEAD)
  return publicKeyIn(readHead(line)['dsn'])
}

const envelopeOf = (payload: Buffer): Envelope => ({ head: {}, items: [{ type: 'event', payload }] })

/** Puts the sender's address where an SDK asks for it. */
function withAddress(event: Json, ip: string): Json {
  const { user } = event
  const asked = typeof user === 'object' && user !== null && 'ip_address' in user
  return asked && user.ip_address === '{{auto}}' ? { ...event, user: { ...user, ip_address: ip } } : event
}
