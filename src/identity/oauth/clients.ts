import { timingSafeEqual } from 'node:crypto'
import { digestOf } from '#platform/access/digest.ts'
import { applicationColumns, type ApplicationRow } from '#identity/applications/entity.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalidClient, invalidRequest } from './errors.ts'
import type { ClientParameters } from './parameters.ts'

/** The parts of a request that identify the client. */
export interface FromClient {
  readonly headers: { readonly authorization?: string | undefined }
  readonly body: ClientParameters
}

/**
 * Authenticates the client (RFC 6749 §2.3, §3.2.1). Confidential clients prove their identity by their secret. Public
 * ones need none, but a secret that they send must be right.
 * @throws 401 `invalid_client`; 400 when two methods are used at once.
 */
export async function authenticateClient(db: Db | Tx['db'], request: FromClient): Promise<ApplicationRow> {
  const { uid, secret } = credentialsIn(request)
  const found = await db
    .selectFrom('applications')
    .select(applicationColumns)
    .select('secret_digest')
    .where('uid', '=', uid)
    // In a transaction, the lock keeps the application from being deleted while something is made for it.
    .$if(db.isTransaction, (query) => query.forKeyShare())
    .executeTakeFirst()
  if (found === undefined) throw invalidClient()
  const { secret_digest, ...application } = found
  const proven =
    secret === undefined ? !application.confidential : timingSafeEqual(digestOf(secret), secret_digest)
  if (!proven) throw invalidClient()
  return application
}

/** The digest of the credential that a client sends; undefined when it has none. */
export function proofIn({ headers, body }: FromClient): Buffer | undefined {
  const proof = headers.authorization ?? body.client_secret
  return proof === undefined ? undefined : digestOf(proof)
}

interface Credentials {
  readonly uid: string
  readonly secret: string | undefined
}

function credentialsIn({ headers, body }: FromClient): Credentials {
  const { client_id, client_secret } = body
  if (headers.authorization === undefined) {
    if (client_id === undefined) throw invalidClient()
    return { uid: client_id, secret: client_secret }
  }
  const basic = basicIn(headers.authorization)
  if (client_secret !== undefined || (client_id !== undefined && client_id !== basic.uid)) {
    throw invalidRequest('Use only one method of client authentication.')
  }
  return basic
}

/** Form encoding applies to both parts before they are joined (RFC 6749 §2.3.1). */
function basicIn(header: string): Credentials {
  const encoded = /^Basic +(\S+) *$/i.exec(header)?.[1]
  const [, uid, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? []
  if (uid === undefined || secret === undefined) throw invalidClient()
  return { uid: fromForm(uid), secret: secret === '' ? undefined : fromForm(secret) }
}

function fromForm(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ')).replaceAll('\0', '')
  } catch {
    throw invalidClient()
  }
}
