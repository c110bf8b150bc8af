import { digestOf } from '#platform/access/digest.ts'
import type { ApplicationRow } from '#identity/applications/entity.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalidScope } from './errors.ts'
import { lifetimes, POLL_INTERVAL, secondsAfter } from './lifetimes.ts'
import { scopesFor } from './scopes.ts'

/** Letters that do not look alike and do not form words (RFC 8628 §6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

export interface DeviceCode {
  readonly device_code: string
  /** As people see it: `BCDF-GHJK`. */
  readonly user_code: string
}

/**
 * Starts device authorization (RFC 8628 §3.1). The device shows the user code to a person and polls with the device
 * code.
 * @throws 400 for scopes that the application does not have.
 */
export async function createDeviceCode(
  tx: Tx,
  client: ApplicationRow,
  scope: string | undefined,
): Promise<DeviceCode> {
  const scopes = scopesFor(client.scopes, scope)
  if (scopes === undefined) throw invalidScope()
  const device_code = tx.random.bytes(32).toString('base64url')
  const letters = newUserCode(tx)
  await tx.db
    .insertInto('oauth_device_codes')
    .values({
      digest: digestOf(device_code),
      user_code_digest: digestOf(letters),
      application_id: client.id,
      scopes,
      created_at: tx.now,
      ends_at: secondsAfter(tx.now, lifetimes.deviceCode),
      poll_interval: POLL_INTERVAL,
    })
    .execute()
  return { device_code, user_code: shownUserCode(letters) }
}

/** One of 20^8 codes. With this many bytes, the bias of the remainder is negligible. */
function newUserCode({ random }: Tx): string {
  let rest = random.bytes(16).readBigUInt64BE()
  return Array.from({ length: LENGTH }, () => {
    const letter = LETTERS.charAt(Number(rest % BigInt(LETTERS.length)))
    rest /= BigInt(LETTERS.length)
    return letter
  }).join('')
}

const shownUserCode = (letters: string) => `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`

/** Reads a typed code, ignoring case and separators; undefined when it cannot be a code. */
export function readUserCode(typed: string): { letters: string; shown: string } | undefined {
  const letters = typed.toUpperCase().replace(/[^A-Z]/g, '')
  const known = new RegExp(`^[${LETTERS}]{${LENGTH}}$`).test(letters)
  return known ? { letters, shown: shownUserCode(letters) } : undefined
}
