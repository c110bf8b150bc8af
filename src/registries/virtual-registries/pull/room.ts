import type { Db } from '#platform/db/pool.ts'
import type { TransactionSource } from '#platform/db/transaction.ts'
import { cachedBytes, makeRoom } from '../cache/evict.ts'
import { RegistryError } from '../../oci/errors.ts'
import type { UpstreamFailed } from './found.ts'

const MEGABYTE = 1024 * 1024
/** Milliseconds for which the size that the database tells holds; what this process keeps meanwhile is added. */
const FRESH = 10_000
/** The most bytes that are set aside for something besides those that have come. */
const STEP = 16 * MEGABYTE
/** Bytes that were evicted are on the disk for as long, in milliseconds: until the clean-up of files has run. */
const LEAVING = 7 * 60_000
/** The part of the limit that is freed besides what is wanted, so that not each pull frees something. */
const BESIDES = 0.05
/** The part of the limit that one group may have coming, and may have evicted lately: the others can pull all the same. */
const SHARE = 0.5

interface Services extends TransactionSource {
  readonly db: Db
  readonly settings: () => { readonly container_virtual_registries_cache_limit: number }
}

/** Room that was taken for something. */
export interface ReservedRoom {
  readonly kind: 'taken'
  /**
   * Call it before bytes are stored: it evicts other things for them.
   * @param bytes how many there will be.
   * @throws RegistryError 503 while there is no room for more of this group, 507 when there never is.
   */
  readonly grow: (bytes: number) => Promise<void>
  /** Call it once they are kept, or will not come. @param kept how many of them are kept. */
  readonly end: (kept: number) => void
}

/** Something that is coming. */
interface Coming {
  readonly group: number
  /** How many bytes it has, or will have. */
  promised: number
  /** For how many of them there is room. */
  reserved: number
}

interface Evicted {
  readonly group: number
  readonly bytes: number
  readonly until: number
}

/**
 * Keeps what is kept of images, and what is coming, to the limit that a setting has. Each process counts what is coming
 * through itself. What was evicted is on the disk for some minutes more, and may be as much again.
 *
 * Only what has come takes room from others, with a step ahead that is no larger: what an upstream announces costs it
 * nothing. Its own group is held to what it announces.
 */
export class Room {
  readonly #services: Services
  #known = { bytes: 0, until: 0 }
  readonly #coming = new Set<Coming>()
  #leaving: readonly Evicted[] = []
  #making: Promise<void> = Promise.resolve()

  constructor(services: Services) {
    this.#services = services
  }

  get #limit(): number {
    return this.#services.settings().container_virtual_registries_cache_limit * MEGABYTE
  }

  /**
   * Takes room for something of a group before its bytes are stored anywhere.
   * @param size undefined when nobody tells it.
   * @returns a failure for what is larger than a group may have coming (507), and while too much of it is coming (503).
   */
  take(group: number, size: number | undefined): ReservedRoom | UpstreamFailed {
    const limit = this.#limit
    if (limit === 0) return { kind: 'taken', grow: () => Promise.resolve(), end: () => {} }
    const coming: Coming = { group, promised: 0, reserved: 0 }
    try {
      this.#promise(coming, size ?? 0, limit)
    } catch (error) {
      if (error instanceof RegistryError) return { kind: 'failed', error }
      throw error
    }
    this.#coming.add(coming)
    return {
      kind: 'taken',
      grow: async (bytes) => {
        if (bytes > coming.reserved) await this.#grow(coming, bytes, size)
      },
      end: (kept) => {
        if (this.#coming.delete(coming)) this.#known.bytes += kept
      },
    }
  }

  /** Holds a group to its share. @throws RegistryError */
  #promise(coming: Coming, bytes: number, limit: number): void {
    if (bytes > limit * SHARE) throw tooLarge(limit * SHARE)
    const others = [...this.#coming].filter((one) => one !== coming && one.group === coming.group)
    if (sum(others, ({ promised }) => promised) + bytes > limit * SHARE) throw busy()
    coming.promised = Math.max(coming.promised, bytes)
  }

  async #grow(coming: Coming, bytes: number, size: number | undefined): Promise<void> {
    const limit = this.#limit
    this.#promise(coming, bytes, limit === 0 ? Infinity : limit)
    const ahead = Math.max(bytes, Math.min(size ?? limit * SHARE, bytes + Math.min(bytes, STEP)))
    // One after the other, so that what one has freed is not freed again.
    this.#making = this.#making.catch(() => {}).then(() => this.#reserve(coming, ahead, limit))
    await this.#making
  }

  async #reserve(coming: Coming, bytes: number, limit: number): Promise<void> {
    if (limit > 0) await this.#make(coming.group, bytes - coming.reserved, limit)
    coming.reserved = bytes
  }

  /** Makes room for so many bytes more. @throws RegistryError */
  async #make(group: number, more: number, limit: number): Promise<void> {
    const coming = more + sum([...this.#coming], ({ reserved }) => reserved)
    const excess = () => this.#known.bytes + coming - limit
    if (this.#known.until > Date.now() && excess() <= 0) return
    // Nothing is evicted for what was true some seconds ago.
    this.#known = { bytes: await cachedBytes(this.#services.db), until: Date.now() + FRESH }
    const wanted = excess()
    if (wanted <= 0) return
    this.#leaving = this.#leaving.filter(({ until }) => until > Date.now())
    const own = this.#leaving.filter((one) => one.group === group)
    const leaves = (evicted: readonly Evicted[], most: number) =>
      sum(evicted, ({ bytes }) => bytes) + wanted <= most
    if (coming > limit || !leaves(this.#leaving, limit) || !leaves(own, limit * SHARE)) throw busy()
    const freed = await makeRoom(this.#services, group, wanted + limit * BESIDES)
    this.#known.bytes -= freed
    this.#leaving = [...this.#leaving, { group, bytes: freed, until: Date.now() + LEAVING }]
    if (freed < wanted) throw busy()
  }
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0)

const tooLarge = (most: number) =>
  new RegistryError(
    507,
    'UNAVAILABLE',
    `it is larger than half of all that this server keeps of images: ${most / MEGABYTE} MB; administrators can change that`,
  )
const busy = () =>
  new RegistryError(503, 'UNAVAILABLE', 'the cache of images is full, and makes room; try again', {
    'retry-after': '30',
  })
