import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { networkOf } from './addresses.ts'
import { createServer } from './http-server.ts'
import { hasBody } from './incoming.ts'
import { SlowReaders } from './slow-readers.ts'
import type { Transport } from './transport.ts'

/** The names under which refused connections are counted. */
export type RefusedConnection = 'connections' | 'connections_of_an_address' | 'slow_readers'

export interface ConnectionOptions extends Pick<Transport, 'head' | 'headCheck' | 'reading' | 'rest'> {
  /** Simultaneous connections in all. */
  readonly maxConnections: number
  /** Simultaneous connections of one address; those of proxies are unlimited. */
  readonly maxConnectionsPerAddress: number
  readonly trustedProxies: readonly string[]
  readonly onRefusal: (name: RefusedConnection) => void
}

/** The maximum size of a request's head in bytes. */
const MAX_HEAD = 65_536
/** Milliseconds that a connection without a request stays open; longer than proxies keep theirs. */
const KEEP_ALIVE = 72_000

/** An HTTP server whose connections nobody can hold for ever, and which no single address can fill. */
export function createHttpServer(handle: RequestListener, options: ConnectionOptions): Server {
  const listener: RequestListener = (request, response) => {
    if (hasBody(request)) readRestAfterwards(request, response, options.rest)
    handle(request, response)
  }
  const server = createServer(
    {
      maxHeaderSize: MAX_HEAD,
      headersTimeout: options.head,
      connectionsCheckingInterval: options.headCheck,
      keepAliveTimeout: KEEP_ALIVE,
      // Applies to whole requests, so it would cut a long upload. Bodies have their own pace, in incoming.ts.
      requestTimeout: 0,
    },
    listener,
  )
  // A client that asks first may send its body only once it is read, so that a refused body is never sent.
  server.on('checkContinue', listener)
  server.maxConnections = options.maxConnections
  server.on('drop', () => options.onRefusal('connections'))
  server.prependListener('connection', limitAddresses(options))
  const slow = new SlowReaders(options.reading, () => options.onRefusal('slow_readers'))
  server.on('connection', (socket) => slow.watch(socket))
  return server
}

/** Counts connections by address, and closes those beyond the limit before reading anything from them. */
function limitAddresses(options: ConnectionOptions): (socket: Socket) => void {
  const open = new Map<string, number>()
  const trusted = listOf(options.trustedProxies)
  return (socket) => {
    const { remoteAddress: address } = socket
    if (address === undefined || trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return
    const network = networkOf(address)
    const count = (open.get(network) ?? 0) + 1
    if (count > options.maxConnectionsPerAddress) {
      options.onRefusal('connections_of_an_address')
      socket.destroy()
      return
    }
    open.set(network, count)
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
  }
}

/** @param networks addresses and ranges, already checked by the configuration. */
function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address, bits] = ipaddr.isValidCIDR(network)
      ? ipaddr.parseCIDR(network)
      : ([ipaddr.parse(network), undefined] as const)
    if (bits === undefined) list.addAddress(address.toString(), address.kind())
    else list.addSubnet(address.toString(), bits, address.kind())
  }
  return list
}

/**
 * Many clients send a whole body before they read the answer, and fail if the connection closes meanwhile. So an
 * answer that comes before the body was read goes out at once. The rest of the body is then read and thrown away, up
 * to a number of bytes and a time, and the connection is closed.
 */
function readRestAfterwards(request: IncomingMessage, response: ServerResponse, rest: Transport['rest']) {
  const { socket } = request
  response.once('finish', () => {
    if (!request.complete) throwAway(request, rest)
  })
  if (response.shouldKeepAlive) return
  // Node ends a connection that is not kept as soon as the answer is out. Its method for that waits here for the
  // rest.
  const close = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    if (request.complete || request.destroyed) return close()
    request.once('end', close)
    socket.end()
  }
}

/** Milliseconds between two checks of how much was thrown away. */
const LOOK = 250

/**
 * Node throws away a body that no code has begun to read, so only the connection shows what arrived. Code that reads it may end a little
 * later than the answer; until then the request does not flow.
 */
function throwAway(request: IncomingMessage, { bytes, milliseconds }: Transport['rest']): void {
  const { socket } = request
  const until = { bytes: socket.bytesRead + bytes, time: performance.now() + milliseconds }
  const timer = setInterval(() => {
    if (socket.bytesRead > until.bytes || performance.now() > until.time) socket.destroy()
    if (request.complete || socket.destroyed) clearInterval(timer)
    else request.resume()
  }, LOOK)
  request.resume()
}
