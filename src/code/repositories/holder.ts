import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import type { Log, Randomness } from '#platform/context.ts'
import { endSharing, holdText, isTextFree, shareText } from '#platform/db/locks.ts'
import type { DatabaseAddress } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'

const lockNameOf = (holder: number): string => `repositories of process ${holder}`

/** Whether the process with this number has ended. Until the transaction ends nobody else finds that it has. */
export const hasHolderEnded = (tx: Tx, holder: number): Promise<boolean> => isTextFree(tx, lockNameOf(holder))

/** A folder is named by what all nodes call it: its path below the storage. */
const useOf = (relativePath: string): string => `use of repository ${relativePath}`

/** Whether no process of any node has worked in a folder for a second or more. */
export const isUnused = (tx: Tx, relativePath: string): Promise<boolean> =>
  isTextFree(tx, useOf(relativePath))

export interface HolderOptions {
  readonly address: DatabaseAddress
  readonly random: Randomness
  readonly log: Log
}

/** Milliseconds between two tries to connect. */
const AGAIN = 500

/**
 * Tells other processes that this one lives, by a lock that PostgreSQL releases when the connection ends, however the
 * process does. What this process has begun and not finished is its own until then.
 */
export class Holder {
  /** The number of this process. */
  readonly number: number
  readonly #options: HolderOptions
  #client: Client | undefined
  #connecting: Promise<void> | undefined
  #closed = false

  constructor(options: HolderOptions) {
    this.#options = options
    this.number = options.random.bytes(6).readUIntBE(0, 6)
  }

  /** Resolves once the lock is held. @throws when the database is away */
  async hold(): Promise<void> {
    if (this.#client !== undefined) return
    this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined))
    await this.#connecting
  }

  /** Tells other processes that a folder is in use. @returns what is called when it no longer is */
  use(relativePath: string): () => void {
    const text = useOf(relativePath)
    const client = this.#client
    if (client === undefined) return () => {}
    const quietly = (error: unknown) =>
      this.#options.log.warn({ err: error }, 'could not say that a repository is in use')
    // Statements of one connection run in order.
    void shareText(client, text).catch(quietly)
    return () => {
      // With its connection, the lock has ended, too.
      if (this.#client === client) void endSharing(client, text).catch(quietly)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const client = new Client({
      ...this.#options.address,
      application_name: 'forgelet repositories',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    })
    const lose = (error: unknown) => {
      if (this.#client !== client || this.#closed) return
      this.#client = undefined
      this.#options.log.warn({ err: error }, 'the lock of this process on repositories was lost')
      void this.#reconnect()
    }
    client.on('error', lose)
    client.on('end', () => lose(new Error('The connection was closed')))
    try {
      await client.connect()
      // A machine that vanished must not count as alive for hours.
      await client.query(
        'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3',
      )
      await holdText(client, lockNameOf(this.number))
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    this.#client = client
  }

  async #reconnect(): Promise<void> {
    while (!this.#closed && this.#client === undefined) {
      await this.hold().catch(() => {})
      await pause(AGAIN, undefined, { ref: false })
    }
  }
}
