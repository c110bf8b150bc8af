import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Clock } from '#platform/context.ts'
import { createMasterKey, deriveKey, findMasterKey, mismatch, WrongMasterKey } from './master-key.ts'
import type { Db } from './pool.ts'

export { WrongMasterKey } from './master-key.ts'

/** What the instance must keep secret and read back. All nodes share one master key and one table. */
export interface Secrets {
  /** Derives a key for one purpose. It is the same on every node and after every restart. */
  derive(purpose: string, length?: number): Buffer
  /** Encrypts for storage. A value sealed under one name opens under no other. */
  seal(name: string, plain: Buffer | string): Buffer
  /** @throws {WrongMasterKey} when it was sealed under another name or key, or was altered. */
  open(name: string, sealed: Buffer): Buffer
  /** A secret that the instance makes for itself once (a signing key). Every node gets the same bytes. */
  namedSecret(name: string, make: () => Buffer | Promise<Buffer>): Promise<Buffer>
}

export interface SecretsOptions {
  readonly db: Db
  readonly clock: Clock
  /** FORGELET_SECRET_KEY. When absent, the key in `dataDir` is used; the first start makes it. */
  readonly secretKey: string | undefined
  readonly dataDir: string
}

/** The name of the value that the first start seals and every other start opens. */
export const CHECK = 'master key check'
const CHECKED = 'This value opens with the right master key.'

/**
 * Opens the store. Makes the master key when neither configuration nor data folder nor database has one.
 *
 * @throws {WrongMasterKey} when the database belongs to another master key.
 */
export async function openSecrets(options: SecretsOptions): Promise<Secrets> {
  const { db, dataDir } = options
  const check = await find(db, CHECK)
  const known = await findMasterKey(options)
  // A new key could not be the right one for a database that already has secrets, so none is made.
  if (known === undefined && check !== undefined) throw mismatch(dataDir, 'no master key was given')
  const secrets = new Store(options, known ?? (await createMasterKey(dataDir)))
  try {
    await secrets.namedSecret(CHECK, () => Buffer.from(CHECKED))
  } catch (error) {
    if (error instanceof WrongMasterKey) throw mismatch(dataDir, 'another one was given')
    throw error
  }
  return secrets
}

async function find(db: Db, name: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('secrets').select('sealed').where('name', '=', name).executeTakeFirst()
  return row?.sealed
}

const FORMAT = 1
const IV = 12
const TAG = 16

class Store implements Secrets {
  readonly #db: Db
  readonly #clock: Clock
  readonly #master: string
  readonly #sealing: Buffer
  readonly #named = new Map<string, Promise<Buffer>>()

  constructor({ db, clock }: SecretsOptions, masterKey: string) {
    this.#db = db
    this.#clock = clock
    this.#master = masterKey
    this.#sealing = this.derive('seal')
  }

  derive(purpose: string, length = 32): Buffer {
    return deriveKey(this.#master, purpose, length)
  }

  seal(name: string, plain: Buffer | string): Buffer {
    return sealWith(this.#sealing, name, plain)
  }

  open(name: string, sealed: Buffer): Buffer {
    return openSealed(this.#sealing, name, sealed)
  }

  namedSecret(name: string, make: () => Buffer | Promise<Buffer>): Promise<Buffer> {
    const known = this.#named.get(name)
    if (known !== undefined) return known
    const secret = this.#findOrMake(name, make)
    this.#named.set(name, secret)
    secret.catch(() => this.#named.delete(name))
    return secret
  }

  async #findOrMake(name: string, make: () => Buffer | Promise<Buffer>): Promise<Buffer> {
    const found = await find(this.#db, name)
    if (found !== undefined) return this.open(name, found)
    const created_at = this.#clock.now().toISOString()
    const sealed = this.seal(name, await make())
    await this.#db
      .insertInto('secrets')
      .values({ name, sealed, created_at })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute()
    // Another node may have been first; then its secret counts.
    return this.open(name, (await find(this.#db, name)) ?? sealed)
  }
}

/** Encrypts with a key of 32 bytes. A value sealed under one name opens under no other. */
export function sealWith(key: Buffer, name: string, plain: Buffer | string): Buffer {
  // Not the context's randomness, which tests fix: the same IV twice would undo the encryption.
  const iv = randomBytes(IV)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(name))
  const body = Buffer.concat([cipher.update(plain), cipher.final()])
  return Buffer.concat([Buffer.of(FORMAT), iv, cipher.getAuthTag(), body])
}

/** @throws {WrongMasterKey} when it was sealed under another name or key, or was altered. */
export function openSealed(sealing: Buffer, name: string, sealed: Buffer): Buffer {
  const start = 1 + IV + TAG
  if (sealed.length < start || sealed[0] !== FORMAT) {
    throw new WrongMasterKey(`The secret '${name}' is in a form this version does not know`)
  }
  const decipher = createDecipheriv('aes-256-gcm', sealing, sealed.subarray(1, 1 + IV), {
    authTagLength: TAG,
  })
    .setAAD(Buffer.from(name))
    .setAuthTag(sealed.subarray(1 + IV, start))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(start)), decipher.final()])
  } catch (error) {
    throw new WrongMasterKey(`The secret '${name}' does not open with this master key`, { cause: error })
  }
}

/** Whether a database with this sealed check belongs to a master key. */
export function belongsTo(masterKey: string, check: Buffer): boolean {
  try {
    openSealed(deriveKey(masterKey, 'seal'), CHECK, check)
    return true
  } catch {
    return false
  }
}
