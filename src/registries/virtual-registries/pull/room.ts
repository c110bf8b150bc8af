import type { Db } from '#platform/db/pool.ts'
import type { TransactionSource } from '#platform/db/transaction.ts'
import { bytesKept, makeRoom } from '../cache/evict.ts'
import { RegistryError } from './errors.ts'
import type { Failed } from './found.ts'

const MEGABYTE = 1024 * 1024
/** Milliseconds for which the size that the database tells holds; what this process keeps meanwhile is added. */
const FRESH = 10_000
/** Bytes that are set aside for something whose size nobody tells. */
const UNTOLD = 1024 * MEGABYTE
/** Bytes that were evicted are on the disk for as long, in milliseconds: until the clean-up of files has run. */
const LEAVING = 7 * 60_000
/** The part of the limit that is freed besides what is wanted, so that not each pull frees something. */
const BESIDES = 0.05

interface Services extends TransactionSource {
  readonly db: Db
  readonly settings: () => { readonly container_virtual_registries_cache_limit: number }
}

/** Room that was taken for something. */
export interface Taken {
  readonly kind: 'taken'
  /** The most bytes that it may have; infinite without a limit. */
  readonly most: number
  /** Call it once they are kept, or will not come. @param kept how many of them are kept. */
  readonly end: (kept: number) => void
}

/**
 * Keeps what is kept of images, and what is coming, to the limit that a setting has. Each process counts what is coming
 * through itself. What was evicted is on the disk for some minutes more, and may be as much again.
 */
export class Room {
  readonly #services: Services
  #known = { bytes: 0, until: 0 }
  #coming = 0
  readonly #leaving: { readonly bytes: number; readonly until: number }[] = []
  #making: Promise<void> = Promise.resolve()

  constructor(services: Services) {
    this.#services = services
  }

  /**
   * Takes room for something before its bytes are stored anywhere, and evicts other things for that.
   * @param size undefined when nobody tells it.
   * @returns a failure for what is larger than everything that may be kept (507), and while too much is coming (503).
   */
  async take(size: number | undefined): Promise<Taken | Failed> {
    const limit = this.#services.settings().container_virtual_registries_cache_limit * MEGABYTE
    if (limit === 0) return { kind: 'taken', most: Infinity, end: () => {} }
    const most = size ?? Math.min(UNTOLD, limit)
    if (most > limit) return { kind: 'failed', error: tooLarge(limit) }
    this.#coming += most
    try {
      // One after the other, so that what one has freed is not freed again.
      this.#making = this.#making.catch(() => {}).then(() => this.#make(limit))
      await this.#making
    } catch (error) {
      this.#coming -= most
      if (error instanceof RegistryError) return { kind: 'failed', error }
      throw error
    }
    let isOpen = true
    const end = (kept: number) => {
      if (isOpen) {
        this.#coming -= most
        this.#known.bytes += kept
      }
      isOpen = false
    }
    return { kind: 'taken', most, end }
  }

  async #make(limit: number): Promise<void> {
    const excess = () => this.#known.bytes + this.#coming - limit
    if (this.#known.until > Date.now() && excess() <= 0) return
    // Nothing is evicted for what was true some seconds ago.
    this.#known = { bytes: await bytesKept(this.#services.db), until: Date.now() + FRESH }
    const wanted = excess()
    if (wanted <= 0) return
    if (this.#coming > limit || this.#leavingBytes() + wanted > limit) throw busy()
    const freed = await makeRoom(this.#services, wanted + limit * BESIDES)
    this.#known.bytes -= freed
    this.#leaving.push({ bytes: freed, until: Date.now() + LEAVING })
    if (freed < wanted) throw busy()
  }

  #leavingBytes(): number {
    const now = Date.now()
    while ((this.#leaving[0]?.until ?? now) < now) this.#leaving.shift()
    return this.#leaving.reduce((sum, { bytes }) => sum + bytes, 0)
  }
}

const tooLarge = (limit: number) =>
  new RegistryError(
    507,
    'UNAVAILABLE',
    `it is larger than all that this server keeps of images: ${limit / MEGABYTE} MB; administrators can change that`,
  )
const busy = () =>
  new RegistryError(503, 'UNAVAILABLE', 'the cache of images is full, and makes room; try again', {
    'retry-after': '30',
  })
