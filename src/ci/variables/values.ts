import type { Db } from '#platform/db/pool.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import { keyRing, type SealedColumn } from '#platform/key-ring/key-ring.ts'

const NAME = 'ci variable'

export const sealedValues: SealedColumn = { table: 'ci_variables', column: 'value', name: NAME }

interface Services {
  readonly db: Db
  readonly secrets: Secrets
}

/** Encrypts a value. Call it before the transaction that stores it. */
export const sealValue = (services: Services, value: string): Promise<Buffer> =>
  keyRing(services).seal(NAME, value)

export const openValue = (services: Services, sealed: Buffer): Promise<string> =>
  keyRing(services).open(NAME, sealed)
