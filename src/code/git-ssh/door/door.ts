import { hash } from 'node:crypto'
import { createServer, type Server as NetServer, type Socket } from 'node:net'
import ssh2, {
  type AuthContext,
  type ClientInfo,
  type Connection,
  type Server,
  type ServerChannel,
  type Session,
} from 'ssh2'
import { networkOf } from '#platform/http/addresses.ts'
import { SlowReaders } from '#platform/http/slow-readers.ts'
import { Backlog } from './backlog.ts'
import { type KeyLine, keyOf, tellFailure } from './ask.ts'
import { RefusedNetworks } from './refused-networks.ts'
import { joinSession } from './session.ts'
import { algorithms, type DoorLimits, type DoorSettings } from './settings.ts'

/**
 * The most bytes that wait for a client that does not read. Answers to requests have some 50 bytes, and each costs twenty times as
 * much memory. All sessions of a connection together have less on the way.
 */
const MOST_UNSENT = 1024 * 1024

/** The least bytes that a client must take in a packet. All take 32 KiB, as the protocol asks; `ssh2` would never get done with 0. */
const LEAST_PACKET = 1_024

/** How often a client may ask for each key that it may try: whether the key is known, and with a signature. Each costs a statement. */
const ASKED = 4

/** One connection, from its first byte on. */
interface Guest {
  readonly ip: string
  readonly network: string
  readonly socket: Socket
  /** Whose key they have proved. */
  key: KeyLine | undefined
  attempts: number
  /** What they have asked until they proved a key, refused or not. */
  asked: number
  sessions: number
  /** Those for which the server is at work. */
  running: number
  readonly backlog: Backlog
  idle: NodeJS.Timeout | undefined
}

/** A server of SSH that only knows keys, and only joins sessions to the server that stands behind it. */
export class Door {
  readonly #settings: DoorSettings
  readonly #limits: DoorLimits
  readonly #guests = new Set<Guest>()
  readonly #net: NetServer
  readonly #ssh: Server
  /** By address and port, as `ssh2` tells them of a connection. */
  readonly #byPlace = new Map<string, Guest>()
  readonly #refused = new RefusedNetworks()
  readonly #slow: SlowReaders

  constructor(settings: DoorSettings) {
    this.#settings = settings
    this.#limits = settings.limits
    this.#slow = new SlowReaders(settings.reading, () => {})
    this.#ssh = new ssh2.Server(
      // The usual 15 seconds between two signs of life would be most of what idle connections cost.
      { hostKeys: settings.hostKeys, ident: 'Forgelet', algorithms, keepaliveInterval: 60_000 },
      (connection, info) => this.#greet(connection, info),
    )
    this.#net = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }, (socket) =>
      this.#admit(socket),
    )
  }

  /** @returns the port */
  listen(): Promise<number> {
    const { host, port } = this.#settings
    return new Promise((resolve, reject) => {
      this.#net.once('error', reject)
      this.#net.listen({ host, port }, () => {
        const address = this.#net.address()
        resolve(typeof address === 'object' && address !== null ? address.port : port)
      })
    })
  }

  /** Lets nobody in any more. Sessions may end. */
  close(): void {
    this.#net.close()
    for (const guest of this.#guests) if (guest.sessions === 0) guest.socket.destroy()
  }

  #admit(socket: Socket): void {
    const ip = socket.remoteAddress ?? ''
    const guest: Guest = {
      ip,
      network: networkOf(ip),
      socket,
      key: undefined,
      attempts: 0,
      asked: 0,
      sessions: 0,
      running: 0,
      backlog: new Backlog(),
      idle: undefined,
    }
    if (!this.#hasRoomFor(guest)) return void socket.destroy()
    const place = placeOf({ ip, port: socket.remotePort })
    this.#guests.add(guest)
    guest.idle = setTimeout(() => socket.destroy(), this.#limits.patience)
    socket.on('error', () => {})
    socket.once('close', () => {
      clearTimeout(guest.idle)
      this.#guests.delete(guest)
      this.#byPlace.delete(place)
      if (guest.key === undefined) void this.#tellFailure('', guest)
    })
    this.#byPlace.set(place, guest)
    this.#ssh.injectSocket(socket)
    this.#slow.watch(socket)
    socket.on('data', ({ length }: Buffer) => {
      if (socket.writableLength > MOST_UNSENT || guest.backlog.isTooMuchAfter(length)) socket.destroy()
    })
  }

  #hasRoomFor({ network }: Guest): boolean {
    const { connections, ofAddress, unproven, unprovenOfAddress } = this.#limits
    const near = [...this.#guests].filter((one) => one.network === network)
    const strangers = (guests: readonly Guest[]) => guests.filter(({ key }) => key === undefined).length
    return (
      this.#guests.size < connections &&
      near.length < ofAddress &&
      strangers(near) < this.#refused.roomFor(network, unprovenOfAddress) &&
      strangers([...this.#guests]) < unproven
    )
  }

  #greet(connection: Connection, info: ClientInfo): void {
    const guest = this.#byPlace.get(placeOf(info))
    if (guest === undefined) return connection.end()
    connection.on('error', () => guest.socket.destroy())
    connection.on('authentication', (context) => {
      void this.#authenticate(guest, context).catch(() => context.reject(['publickey']))
    })
    connection.on('ready', () => this.#restAfter(guest))
    // Forwarding and everything else that is asked of the whole connection.
    connection.on('request', (_, reject) => reject?.())
    connection.on('session', (accept, reject) => {
      if (guest.key === undefined || guest.sessions >= this.#limits.sessions) return reject()
      this.#open(guest, guest.key, accept)
    })
  }

  async #authenticate(guest: Guest, context: AuthContext): Promise<void> {
    const { method, username, key, signature, blob, hashAlgo } = context
    guest.asked += 1
    if (guest.asked > ASKED * this.#limits.attempts) return void guest.socket.destroy()
    if (method !== 'publickey' || key === undefined || username !== this.#settings.account)
      return this.#refuse(guest, context)
    const fingerprint = `SHA256:${hash('sha256', key.data, 'base64').replace(/=+$/, '')}`
    const known = await keyOf(this.#settings.socket, fingerprint)
    if (known === undefined || this.#connectionsOf(known) >= this.#limits.ofKey)
      return this.#refuse(guest, context)
    if (signature === undefined || blob === undefined) return context.accept()
    const parsed = ssh2.utils.parseKey(known.text)
    // Signatures of RSA with SHA-1 name no algorithm.
    const isWeak = key.algo === 'ssh-rsa' && hashAlgo === undefined
    if (parsed instanceof Error || isWeak || parsed.verify(blob, signature, hashAlgo) !== true) {
      void this.#tellFailure(fingerprint, guest)
      return this.#refuse(guest, context)
    }
    guest.key = known
    this.#refused.noteProof(guest.network)
    context.accept()
  }

  #refuse(guest: Guest, context: AuthContext): void {
    // Clients ask by `none` which methods there are.
    if (context.method !== 'none') guest.attempts += 1
    context.reject(['publickey'])
    if (guest.attempts >= this.#limits.attempts) guest.socket.end()
  }

  #connectionsOf({ id }: KeyLine): number {
    return [...this.#guests].filter((one) => one.key?.id === id).length
  }

  #open(guest: Guest, key: KeyLine, accept: () => Session): void {
    guest.sessions += 1
    let protocol: string | undefined
    let hasBegun = false
    const session = accept()
    const begin = (acceptRun: () => ServerChannel, reject: () => void, command: string) => {
      if (hasBegun) return reject()
      hasBegun = true
      const channel = acceptRun()
      if (channel.outgoing.packetSize < LEAST_PACKET) return guest.socket.destroy()
      clearTimeout(guest.idle)
      guest.running += 1
      guest.backlog.watch(channel)
      joinSession(channel, {
        path: this.#settings.socket,
        key: key.id,
        ip: guest.ip,
        command,
        protocol,
        connection: guest.socket,
        reading: this.#settings.reading,
        onEnd: () => {
          guest.running -= 1
          this.#restAfter(guest)
        },
      })
    }
    session.on('env', (acceptEnv, reject, { key: name, val }) => {
      if (name !== 'GIT_PROTOCOL' || val.length > 255) return reject?.()
      protocol = val
      acceptEnv?.()
    })
    session.on('exec', (acceptRun, reject, { command }) => begin(acceptRun, reject, command))
    session.on('shell', (acceptRun, reject) => begin(acceptRun, reject, ''))
    session.on('close', () => {
      guest.sessions -= 1
    })
  }

  /** A connection for which the server does nothing is closed after a while, whatever its client has opened. */
  #restAfter(guest: Guest): void {
    clearTimeout(guest.idle)
    if (guest.running === 0 && !guest.socket.destroyed)
      guest.idle = setTimeout(() => guest.socket.destroy(), this.#limits.idle)
  }

  async #tellFailure(fingerprint: string, { ip, network }: Guest): Promise<void> {
    // The server may be about to stop; then nobody counts.
    const seconds = await tellFailure(this.#settings.socket, { fingerprint, ip }).catch(() => 0)
    if (seconds > 0) this.#refused.refuse(network, seconds)
  }
}

const placeOf = ({ ip, port }: { readonly ip: string; readonly port: number | undefined }): string =>
  `${ip} ${port}`
