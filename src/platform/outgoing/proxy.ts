import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, request, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Duplex, type Readable, Transform, type Writable } from 'node:stream'
import type { OutgoingTarget } from './allowlist.ts'
import { OutgoingFailed, outgoingRefused, tooLarge } from './errors.ts'
import { isSameTarget, type Outgoing, targetOf } from './outgoing.ts'

export interface ProxyOptions {
  /** The only place where it leads to. */
  readonly to: OutgoingTarget
  /** Bytes that may come back through it, in all; 0 for no limit. */
  readonly maxBytes: number
  /** Ends all connections. */
  readonly signal: AbortSignal
}

/** Node's own, which is loaded when it is needed. */
interface Http {
  readonly server: Server
  readonly send: typeof request
}

/**
 * A proxy on the loopback interface, for a program that resolves names and connects by itself, such as git. It leads
 * to one server, for whoever knows its secret, and each connection is checked as a request of this program is.
 */
export class OutgoingProxy implements AsyncDisposable {
  readonly #outgoing: Outgoing
  readonly #options: ProxyOptions
  readonly #secret = randomBytes(24).toString('base64url')
  readonly #server: Server
  readonly #send: typeof request
  readonly #open = new Set<Duplex>()
  readonly #closing = new AbortController()
  #received = 0
  #failure: OutgoingFailed | undefined

  private constructor(outgoing: Outgoing, options: ProxyOptions, { server, send }: Http) {
    this.#outgoing = outgoing
    this.#server = server
    this.#send = send
    this.#options = options
    this.#server.on('connect', (request, socket, head) => void this.#tunnel(request, socket, head))
    this.#server.on('request', (request, response) => void this.#forward(request, response))
    this.#server.on('connection', (socket) => this.#remember(socket))
  }

  static async open(outgoing: Outgoing, options: ProxyOptions): Promise<OutgoingProxy> {
    const { createServer, request } = await import('node:http')
    const proxy = new OutgoingProxy(outgoing, options, { server: createServer(), send: request })
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  /** Where it listens, with its secret. */
  get url(): string {
    const address = this.#server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    return `http://forgelet:${this.#secret}@127.0.0.1:${port}`
  }

  /** Why it refused or ended a connection; the first reason. */
  get failure(): OutgoingFailed | undefined {
    return this.#failure
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#closing.abort(new Error('the proxy is closed'))
    this.#server.close()
    for (const stream of this.#open) stream.destroy()
    await closed
  }

  get #signal(): AbortSignal {
    return AbortSignal.any([this.#options.signal, this.#closing.signal])
  }

  /** `CONNECT host:port`, for https. */
  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#remember(socket)
    if (!this.#knowsSecret(request)) return void socket.end(`HTTP/1.1 407 ${DENIED}\r\n${CHALLENGE}\r\n\r\n`)
    try {
      const upstream = await this.#connect(readTarget(request.url ?? ''))
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      socket.pipe(upstream)
      upstream.pipe(this.#counted(upstream, socket)).pipe(socket)
      upstream.once('error', () => socket.destroy())
      socket.once('close', () => upstream.destroy())
    } catch (error) {
      this.#note(error)
      socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n')
    }
  }

  /** `GET http://host/path`, for http. */
  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.#knowsSecret(request)) {
      return void response.writeHead(407, DENIED, { 'proxy-authenticate': 'Basic realm="Forgelet"' }).end()
    }
    try {
      const url = new URL(request.url ?? '')
      if (url.protocol !== 'http:') throw outgoingRefused('Only http and https are allowed')
      const answer = await this.#ask(url, request, await this.#connect(targetOf(url)))
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer))
      answer.pipe(this.#counted(answer, response)).pipe(response)
      answer.once('error', () => response.destroy())
      response.once('close', () => answer.destroy())
    } catch (error) {
      this.#note(error)
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    }
  }

  /** Passes a request on over a connection that was checked. */
  #ask(url: URL, request: IncomingMessage, connection: Socket): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const sent = this.#send(url, {
      method: request.method ?? 'GET',
      headers: endToEnd(request),
      createConnection: () => connection,
    })
    sent.once('response', resolve).on('error', reject)
    request.pipe(sent)
    return promise
  }

  async #connect(target: OutgoingTarget): Promise<Socket> {
    if (!isSameTarget(target, this.#options.to))
      throw outgoingRefused('The repository leads to another server')
    const socket = await this.#outgoing.connect(target, this.#signal)
    this.#remember(socket)
    return socket
  }

  /** Counts what comes back, and ends both sides when it is too much. */
  #counted(from: Readable, to: Writable): Transform {
    const { maxBytes } = this.#options
    const counted = new Transform({
      transform: (piece: Buffer, _encoding, done) => {
        this.#received += piece.length
        if (maxBytes > 0 && this.#received > maxBytes) done(tooLarge(maxBytes))
        else done(null, piece)
      },
    })
    counted.once('error', (error) => {
      this.#note(error)
      from.destroy()
      to.destroy()
    })
    return counted
  }

  #knowsSecret({ headers }: IncomingMessage): boolean {
    const expected = Buffer.from(`Basic ${Buffer.from(`forgelet:${this.#secret}`).toString('base64')}`)
    const given = Buffer.from(headers['proxy-authorization'] ?? '')
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  /** Other errors are of connections that broke off, which the program notices. */
  #note(error: unknown): void {
    if (error instanceof OutgoingFailed) this.#failure ??= error
  }

  #remember(stream: Duplex): void {
    stream.on('error', () => {})
    this.#open.add(stream)
    stream.once('close', () => this.#open.delete(stream))
  }
}

const DENIED = 'Proxy Authentication Required'
const CHALLENGE = 'proxy-authenticate: Basic realm="Forgelet"\r\ncontent-length: 0'

/** Headers that are between two neighbours alone. */
const HOP_BY_HOP = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

const endToEnd = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.test(name)))

function readTarget(text: string): OutgoingTarget {
  if (!URL.canParse(`http://${text}`)) throw outgoingRefused('The host is not valid')
  const [, host = '', port = ''] = /^(.*):(\d{1,5})$/.exec(text) ?? []
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}
