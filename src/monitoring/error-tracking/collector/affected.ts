import { createHmac } from 'node:crypto'
import type { ReducedEvent } from './event.ts'

/** Bytes of a digest: enough to count people, and none to find one. */
const BYTES = 12

/**
 * A digest of who was affected, so that people can be counted without being known. Undefined where the event names
 * nobody.
 * @param key a secret of the instance.
 */
export function affectedBy(
  { user }: Pick<ReducedEvent, 'user'>,
  projectId: number,
  key: Buffer,
): string | undefined {
  for (const name of ['id', 'username', 'email', 'ip_address']) {
    const value = user?.[name]
    if ((typeof value === 'string' && value !== '') || typeof value === 'number')
      return createHmac('sha256', key)
        .update(`${projectId} ${name} ${value}`)
        .digest('hex')
        .slice(0, BYTES * 2)
  }
  return undefined
}
