import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '#context.ts'
import type { Db } from './pool.ts'

/** The database was set up with another master key, or a sealed value was altered. */
export class WrongMasterKey extends Error {
  override readonly name = 'WrongMasterKey'
}

/** What the instance must keep secret, and read back. All nodes share it: one master key, one table. */
export interface Secrets {
  /** A key for one purpose; the same on every node and after every restart. */
  derive(purpose: string, length?: number): Buffer
  /** Encrypts for storage. What was sealed under one name opens under no other. */
  seal(name: string, plain: Buffer | string): Buffer
  /** @throws {WrongMasterKey} when it was sealed under another name or key, or was altered. */
  open(name: string, sealed: Buffer): Buffer
  /** A secret the instance makes for itself once (a signing key); every node gets the same bytes. */
  namedSecret(name: string, make: () => Buffer | Promise<Buffer>): Promise<Buffer>
}

export interface SecretsOptions {
  readonly db: Db
  readonly clock: Clock
  /** FORGELET_SECRET_KEY; when absent, the key in `dataDir` is used, and made there at the first start. */
  readonly secretKey: string | undefined
  readonly dataDir: string
}

/** The fewest characters a master key may have. */
const MASTER_KEY_LENGTH = 32

const CHECK = 'master key check'
const CHECKED = 'This value opens with the right master key.'

/**
 * Opens the store, making the master key when neither configuration nor data folder nor database has one.
 *
 * @throws {WrongMasterKey} when the database belongs to another master key.
 */
export async function openSecrets(options: SecretsOptions): Promise<Secrets> {
  const { db, dataDir } = options
  const check = await find(db, CHECK)
  if (options.secretKey !== undefined && options.secretKey.length < MASTER_KEY_LENGTH) {
    throw new Error(`FORGELET_SECRET_KEY should have ${MASTER_KEY_LENGTH} characters or more`)
  }
  const known = options.secretKey ?? (await readMasterKey(dataDir))
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

function mismatch(dataDir: string, found: string): WrongMasterKey {
  return new WrongMasterKey(
    `The secrets in this database were sealed with its master key, and ${found}. ` +
      `Set FORGELET_SECRET_KEY to the key it was set up with, or put that key's file back at ${dataDir}/secret.key ` +
      `(it is part of every backup). Nothing was changed.`,
  )
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
  readonly #master: Buffer
  readonly #sealing: Buffer
  readonly #named = new Map<string, Promise<Buffer>>()

  constructor({ db, clock }: SecretsOptions, masterKey: string) {
    this.#db = db
    this.#clock = clock
    this.#master = Buffer.from(masterKey)
    this.#sealing = this.derive('seal')
  }

  derive(purpose: string, length = 32): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#master, 'forgelet', purpose, length))
  }

  seal(name: string, plain: Buffer | string): Buffer {
    // Never the context's randomness, which tests hold still: the same IV twice would undo the encryption.
    const iv = randomBytes(IV)
    const cipher = createCipheriv('aes-256-gcm', this.#sealing, iv).setAAD(Buffer.from(name))
    const body = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([Buffer.of(FORMAT), iv, cipher.getAuthTag(), body])
  }

  open(name: string, sealed: Buffer): Buffer {
    const start = 1 + IV + TAG
    if (sealed.length < start || sealed[0] !== FORMAT) {
      throw new WrongMasterKey(`The secret '${name}' is in a form this version does not know`)
    }
    const decipher = createDecipheriv('aes-256-gcm', this.#sealing, sealed.subarray(1, 1 + IV), {
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
    // Another node may have been first: then theirs counts.
    return this.open(name, (await find(this.#db, name)) ?? sealed)
  }
}

const keyFile = (dataDir: string): string => join(dataDir, 'secret.key')

/** The master key in the data folder, if there is one. */
async function readMasterKey(dataDir: string): Promise<string | undefined> {
  const text = await readFile(keyFile(dataDir), 'utf8').catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  })
  const key = text?.trim()
  if (key !== undefined && key.length < MASTER_KEY_LENGTH) {
    throw new Error(
      `${keyFile(dataDir)} holds no master key: it should have ${MASTER_KEY_LENGTH} characters or more`,
    )
  }
  return key
}

/**
 * Makes a master key that only this account can read, whole or not at all.
 *
 * @returns the key that is in the data folder now: another process may have been first.
 */
async function createMasterKey(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = keyFile(dataDir)
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${randomBytes(32).toString('base64url')}\n`)
    await file.sync()
    // Unlike a rename, a link never replaces the key of a process that was faster.
    await link(draft, path).catch((error: unknown) => {
      if (!isCode(error, 'EEXIST')) throw error
    })
  } finally {
    await file.close()
    await unlink(draft)
  }
  await syncFolder(dataDir)
  const key = await readMasterKey(dataDir)
  if (key === undefined) throw new Error(`${path} vanished while it was made`)
  return key
}

/** Without it a power cut may lose the key's name although its bytes are safe. Windows cannot, and need not. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
