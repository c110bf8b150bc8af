import type { Tx } from '#platform/db/transaction.ts'

/** What client secrets begin with, so that scanners find leaked ones. */
const PREFIX = 'gloas-'

/** A new client secret. */
export function newClientSecret({ random }: Tx): string {
  return `${PREFIX}${random.bytes(32).toString('base64url')}`
}
