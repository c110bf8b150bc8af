import { digestOf } from '#platform/access/digest.ts'
import type { ApplicationRow } from '#identity/applications/entity.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { lifetimes, secondsAfter } from './lifetimes.ts'

export interface Consent {
  readonly application: Pick<ApplicationRow, 'id' | 'name'>
  readonly userId: number
  readonly scopes: readonly string[]
}

/** What an authorization code is bound to: only the client that began can use it. */
export interface CodeBinding {
  readonly redirectUri: string
  readonly codeChallenge: string | null
}

/**
 * Lets an application act for a user who has agreed.
 * @returns the authorization code; the database holds only its digest (RFC 6749 §4.1.2).
 */
export async function authorizeApplication(
  tx: Tx,
  consent: Consent,
  { redirectUri, codeChallenge }: CodeBinding,
): Promise<string> {
  const code = tx.random.bytes(32).toString('base64url')
  await createGrant(tx, consent, {
    ends_at: secondsAfter(tx.now, lifetimes.code),
    code_digest: digestOf(code),
    redirect_uri: redirectUri,
    code_challenge: codeChallenge,
  })
  await recordAuthorized(tx, consent)
  return code
}

interface Start {
  readonly ends_at: string
  readonly code_digest?: Buffer
  readonly redirect_uri?: string
  readonly code_challenge?: string | null
}

/** Inserts the row; the caller records the event. @returns its id. */
export async function createGrant(tx: Tx, consent: Consent, start: Start): Promise<number> {
  const { id } = await tx.db
    .insertInto('oauth_grants')
    .values({
      application_id: consent.application.id,
      user_id: consent.userId,
      scopes: [...consent.scopes],
      created_at: tx.now,
      ...start,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function recordAuthorized(tx: Tx, { application, userId, scopes }: Consent): Promise<void> {
  record(tx, {
    name: 'application authorized',
    namespace: null,
    target: { type: 'Application', id: application.id },
    details: { name: application.name, user_id: userId, scopes },
  })
}
