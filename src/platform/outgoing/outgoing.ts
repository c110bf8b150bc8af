import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { comparable, type OutgoingTarget } from './allowlist.ts'
import { meaningOf, OutgoingFailed, outgoingRefused, tooLarge } from './errors.ts'
import { answering, type Guard } from './guard.ts'
import { send } from './send.ts'
import { type Tracer, traced } from '#platform/telemetry/tracer.ts'

export interface OutgoingRequest {
  /** `http` or `https`, without a user name and password: those belong into a header. */
  readonly url: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Milliseconds until the last byte of the answer. */
  readonly timeoutMs: number
  /** Bytes of the answer's body. */
  readonly maxBytes: number
  /** How many redirects are followed, each checked as the first address was; by default none, and a redirect is the answer. */
  readonly redirects?: number
  /** Whether a certificate must be trusted; by default it must. Whoever switches it off trusts the network. */
  readonly verifyTls?: boolean
  readonly signal?: AbortSignal
}

export interface OutgoingAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Where the answer came from, after redirects. */
  readonly url: string
  /** Fails with {@link OutgoingFailed} when it is too large, or breaks off. Whoever needs it no more destroys it. */
  readonly body: Readable
}

/**
 * Sends requests to other servers. Whatever users can make this program fetch, by a URL or a host name, goes through
 * here: the address is checked once it is known, and the connection goes to that address.
 */
export class Outgoing {
  readonly #guard: Guard
  readonly #tracer: Tracer | undefined

  constructor(guard: Guard, tracer?: Tracer) {
    this.#guard = guard
    this.#tracer = tracer
  }

  /**
   * Checks a URL before somebody relies on it. The request checks it again.
   * @throws OutgoingFailed
   */
  async assertAllowed(url: string, signal?: AbortSignal): Promise<void> {
    await this.#guard.resolve(targetOf(readUrl(url)), signal)
  }

  /** @throws OutgoingFailed when there is no answer; an answer with a status from 400 is one. */
  async request(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const { timeoutMs, maxBytes, redirects = 0 } = request
    const signal = withinTime(timeoutMs, request.signal)
    let next: Hop = { ...request, url: readUrl(request.url) }
    for (let left = redirects; ; left -= 1) {
      const { url } = next
      const message = await this.#exchange(next, signal)
      const { statusCode: status = 0, headers } = message
      if (redirects === 0 || !isRedirect(status) || headers.location === undefined) {
        return { status, headers, url: url.href, body: bodyOf(message, { maxBytes, signal, host: url.host }) }
      }
      message.destroy()
      if (left === 0) throw new OutgoingFailed('redirected', `${url.host} redirects too often`)
      next = redirected(next, status, headers.location)
    }
  }

  /** Opens a connection for a proxy. @throws OutgoingFailed */
  async connect(target: OutgoingTarget, signal: AbortSignal): Promise<Socket> {
    const lookup = answering(await this.#guard.resolve(target, signal))
    const socket = connect({ ...target, lookup, autoSelectFamily: true })
    try {
      await once(socket, 'connect', { signal })
      return socket
    } catch (error) {
      socket.destroy()
      throw meaningOf(error, target.host, signal)
    }
  }

  /** Sends one request. Its span names the host alone: paths and queries of hooks are secrets. */
  async #exchange(hop: Hop, signal: AbortSignal): Promise<IncomingMessage> {
    const { method = 'GET', url } = hop
    const { host, port } = targetOf(url)
    const attributes = { 'http.request.method': method, 'server.address': host, 'server.port': port }
    return traced(this.#tracer, { name: method, kind: 'client', attributes }, async (span) => {
      const message = await this.#send(hop, signal)
      span?.set({ 'http.response.status_code': message.statusCode ?? 0 })
      return message
    })
  }

  async #send({ url, ...hop }: Hop, signal: AbortSignal): Promise<IncomingMessage> {
    try {
      const addresses = await this.#guard.resolve(targetOf(url), signal)
      return await send(url, { ...hop, lookup: answering(addresses), signal })
    } catch (error) {
      throw meaningOf(error, url.host, signal)
    }
  }
}

interface Hop extends Pick<OutgoingRequest, 'method' | 'headers' | 'body' | 'verifyTls'> {
  readonly url: URL
}

/** Reads a URL once. Forms such as `http://0x7f.1` become the address that they mean. @throws OutgoingFailed */
export function readUrl(text: string): URL {
  if (!URL.canParse(text)) throw outgoingRefused('The URL is not valid')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw outgoingRefused('Only http and https are allowed')
  if (url.username !== '' || url.password !== '') throw outgoingRefused('The URL must not hold credentials')
  return url
}

export function targetOf({ hostname, port, protocol }: URL): OutgoingTarget {
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  }
}

export const isSameTarget = (one: OutgoingTarget, other: OutgoingTarget): boolean =>
  one.port === other.port && comparable(one.host) === comparable(other.host)

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** What another server may know of a request that was meant for somebody else. */
const HARMLESS: ReadonlySet<string> = new Set(['accept', 'content-type', 'range', 'user-agent'])

function redirected(
  { url: from, method = 'GET', headers = {}, body, verifyTls = true }: Hop,
  status: number,
  location: string,
): Hop {
  if (!URL.canParse(location, from))
    throw new OutgoingFailed('redirected', `${from.host} redirects to no URL`)
  const url = readUrl(new URL(location, from).href)
  if (from.protocol === 'https:' && url.protocol === 'http:') {
    throw new OutgoingFailed('redirected', `${from.host} redirects from https to http`)
  }
  const isOther = url.origin !== from.origin
  const kept = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !isOther || HARMLESS.has(name.toLowerCase())),
  )
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST'
  if (becomesGet) return { url, method: 'GET', headers: kept, verifyTls }
  // Forms hold passwords and keys as headers do.
  if (isOther && body !== undefined)
    throw new OutgoingFailed('redirected', `${from.host} redirects what it is sent to ${url.host}`)
  return { url, method, headers: kept, verifyTls, ...(body !== undefined && { body }) }
}

function withinTime(milliseconds: number, signal: AbortSignal | undefined): AbortSignal {
  const time = AbortSignal.timeout(milliseconds)
  return signal === undefined ? time : AbortSignal.any([time, signal])
}

interface BodyLimits {
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly host: string
}

function bodyOf(message: IncomingMessage, limits: BodyLimits): Readable {
  if (Number(message.headers['content-length'] ?? 0) > limits.maxBytes) {
    message.destroy()
    throw tooLarge(limits.maxBytes)
  }
  const body = Readable.from(piecesOf(message, limits), { objectMode: false })
  // Nobody may have begun to read.
  body.once('close', () => message.destroy())
  return body
}

async function* piecesOf(
  message: IncomingMessage,
  { maxBytes, signal, host }: BodyLimits,
): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const piece of message) {
      const bytes: Buffer = piece
      size += bytes.length
      if (size > maxBytes) throw tooLarge(maxBytes)
      yield bytes
    }
  } catch (error) {
    throw meaningOf(error, host, signal)
  }
}
