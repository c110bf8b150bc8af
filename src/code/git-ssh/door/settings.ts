import type { ReadingPace } from '#platform/http/transport.ts'
/** What the door may let in. */
export interface DoorLimits {
  /** Connections in all, and of one address (of IPv6 a /64). */
  readonly connections: number
  readonly ofAddress: number
  /** The same for those who have not proved a key yet. */
  readonly unproven: number
  readonly unprovenOfAddress: number
  /** Connections of one key. */
  readonly ofKey: number
  /** Milliseconds in which a client must have proved a key. */
  readonly patience: number
  /** Keys that a connection may try. */
  readonly attempts: number
  /** Sessions of one connection at once. */
  readonly sessions: number
  /** Milliseconds that a connection may be without a session. */
  readonly idle: number
}

export const defaultLimits: DoorLimits = {
  connections: 1_000,
  ofAddress: 128,
  unproven: 128,
  unprovenOfAddress: 24,
  ofKey: 64,
  patience: 30_000,
  attempts: 6,
  sessions: 10,
  idle: 600_000,
}

/** What the server tells its door once. */
export interface DoorSettings {
  readonly host: string
  readonly port: number
  /** Where the server answers. */
  readonly socket: string
  /** The name that clients sign in with. */
  readonly account: string
  /** Private keys in OpenSSH's format. */
  readonly hostKeys: readonly string[]
  readonly limits: DoorLimits
  /** How slowly clients may read. */
  readonly reading: ReadingPace
}

export type DoorReport = { readonly listening: number } | { readonly failed: string }

export const isSettings = (message: unknown): message is DoorSettings =>
  typeof message === 'object' && message !== null && 'hostKeys' in message

export const isDoorReport = (message: unknown): message is DoorReport =>
  typeof message === 'object' && message !== null && ('listening' in message || 'failed' in message)

/** What `ssh2` does fast without native parts, and nothing that is weak. Clients choose; chacha20 would take much longer. */
export const algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group14-sha256',
  ],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
} as const
