import { hash } from 'node:crypto'
import type { Randomness } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import { keyRing, type SealedColumn } from '#platform/key-ring/key-ring.ts'

const NAME = 'alert integration authorization key'

export const sealedKeys: SealedColumn = {
  table: 'alert_integrations',
  column: 'authorization_key',
  name: NAME,
}

interface Services {
  readonly db: Db
  readonly secrets: Secrets
  readonly random: Randomness
}

/** A key as it is stored: sealed for those who may read it, and as a digest that requests are compared with. */
export interface StoredKey {
  readonly authorization_key: Buffer
  readonly key_digest: Buffer
}

/** Makes a key of 256 random bits, so that its digest tells nothing. Call it before the transaction that stores it. */
export async function makeKey(services: Services): Promise<StoredKey> {
  const key = Buffer.from(services.random.bytes(32)).toString('hex')
  return { authorization_key: await keyRing(services).seal(NAME, key), key_digest: digestOf(key) }
}

export const openKey = (services: Pick<Services, 'db' | 'secrets'>, sealed: Buffer): Promise<string> =>
  keyRing(services).open(NAME, sealed)

export const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer')
