import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { BlockList, isIPv6, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { networkOf } from './addresses.ts'
import { hasBody } from './incoming.ts'
import type { Transport } from './transport.ts'

/**
 * Not imported, since an import reads all exports of a module, and one of this one's brings Node's whole WebSocket
 * client: 16 MB.
 */
const { createServer } = process.getBuiltinModule('node:http')

/** The names under which connections that are turned away are counted. */
export type RefusedConnection = 'connections' | 'connections_of_an_address'

export interface ConnectionOptions extends Pick<Transport, 'head' | 'headCheck' | 'rest'> {
  /** Connections at once, of everybody. */
  readonly maxConnections: number
  /** Connections at once of one address; those of proxies are without limit. */
  readonly maxConnectionsPerAddress: number
  readonly trustedProxies: readonly string[]
  readonly onRefusal: (name: RefusedConnection) => void
}

/** Bytes of the head of a request. */
const MAX_HEAD = 65_536
/** Milliseconds that a connection without a request stays open; longer than proxies keep theirs. */
const KEEP_ALIVE = 72_000

/** An HTTP server whose connections cannot be held for ever, nor by one address alone. */
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
      // For whole requests: it would cut a long upload. Bodies have a pace of their own, in incoming.ts.
      requestTimeout: 0,
    },
    listener,
  )
  // A client that asks first is told to go on when somebody reads, so that what is refused is never sent.
  server.on('checkContinue', listener)
  server.maxConnections = options.maxConnections
  server.on('drop', () => options.onRefusal('connections'))
  server.prependListener('connection', limitAddresses(options))
  return server
}

/** Counts connections by address, and closes those beyond the limit before anything is read from them. */
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

/** @param networks addresses and ranges, as the configuration has checked them. */
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
 * Many clients send a body to its end before they read the answer, and would find the connection broken when it was
 * closed under them. So an answer that is given before the body was read goes out at once, and the rest of the body
 * is read and thrown away: so many bytes, for so long. Then the connection is closed.
 */
function readRestAfterwards(request: IncomingMessage, response: ServerResponse, rest: Transport['rest']) {
  const { socket } = request
  response.once('finish', () => {
    if (!request.complete) throwAway(request, rest)
  })
  if (response.shouldKeepAlive) return
  // Node ends a connection that is not kept as soon as the answer is out. Its way to do so waits here for the rest.
  const close = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    if (request.complete || request.destroyed) return close()
    request.once('end', close)
    socket.end()
  }
}

/** Milliseconds between two looks at how much was thrown away. */
const LOOK = 250

/** Node throws away what nobody has begun to read, so what came is seen at the connection alone. */
function throwAway(request: IncomingMessage, { bytes, milliseconds }: Transport['rest']): void {
  const { socket } = request
  const until = { bytes: socket.bytesRead + bytes, time: performance.now() + milliseconds }
  const timer = setInterval(() => {
    if (socket.bytesRead > until.bytes || performance.now() > until.time) socket.destroy()
    if (request.complete || socket.destroyed) clearInterval(timer)
  }, LOOK)
  request.resume()
}
