import { digestOf } from '#platform/access/digest.ts'
import type { ApplicationRow } from '#identity/applications/entity.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { iso } from '#platform/http/time.ts'
import { invalidGrant, invalidRequest, OAuthError } from './errors.ts'
import { isPast, lockGrant, refuseReuse } from './grants.ts'
import { issueTokens, type TokenAnswer } from './issue-tokens.ts'
import { POLL_INTERVAL } from './lifetimes.ts'
import type { TokenRequest } from './parameters.ts'

/**
 * Answers a polling device (RFC 8628 §3.4, §3.5). It gets tokens once, as soon as the user agrees. Asking again
 * afterwards ends them, as with any code.
 *
 * @returns a refusal where something was changed that must be committed.
 */
export async function exchangeDeviceCode(
  tx: Tx,
  client: ApplicationRow,
  given: TokenRequest,
): Promise<TokenAnswer | OAuthError> {
  if (given.device_code === undefined) throw invalidRequest('device_code is missing')
  const device = await tx.db
    .selectFrom('oauth_device_codes')
    .select(['id', 'application_id', 'ends_at', 'poll_interval', 'polled_at', 'denied_at', 'grant_id'])
    .where('digest', '=', digestOf(given.device_code))
    .forUpdate()
    .executeTakeFirst()
  if (device === undefined || device.application_id !== client.id) {
    throw invalidGrant('The device code is unknown.')
  }
  if (device.denied_at !== null) throw new OAuthError('access_denied', 'The user refused.')
  const grant = device.grant_id === null ? undefined : await lockGrant(tx, 'id', device.grant_id)
  if (grant !== undefined && grant.refreshed_at !== null) {
    await refuseReuse(tx, client, grant, 'device code')
    return invalidGrant('The device code was used already.')
  }
  if (isPast(grant ?? device, tx.now)) throw new OAuthError('expired_token', 'The device code has expired.')
  if (grant === undefined) return waiting(tx, device)
  if (!grant.user_active) throw invalidGrant('The user may not sign in.')
  return issueTokens(tx, grant, grant.scopes)
}

/** Answers while the user has not decided. A device that polls too soon must wait longer from now on. */
async function waiting(
  tx: Tx,
  device: { readonly id: number; readonly poll_interval: number; readonly polled_at: string | null },
): Promise<OAuthError> {
  const { id, poll_interval, polled_at } = device
  const tooSoon =
    polled_at !== null && Date.parse(tx.now) - Date.parse(iso(polled_at)) < poll_interval * 1_000
  await tx.db
    .updateTable('oauth_device_codes')
    .set({ polled_at: tx.now, poll_interval: tooSoon ? poll_interval + POLL_INTERVAL : poll_interval })
    .where('id', '=', id)
    .execute()
  return tooSoon
    ? new OAuthError('slow_down', `Wait ${poll_interval + POLL_INTERVAL} seconds between two questions.`)
    : new OAuthError('authorization_pending', 'Nobody entered the code yet.')
}
