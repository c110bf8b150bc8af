import type { Tx } from '#platform/db/transaction.ts'

/** The prefix of client secrets, by which scanners recognize leaked ones. */
const PREFIX = 'gloas-'

/** Makes a client secret. */
export function newClientSecret({ random }: Tx): string {
  return `${PREFIX}${random.bytes(32).toString('base64url')}`
}
