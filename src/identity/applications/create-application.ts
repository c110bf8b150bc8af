import { digestOf } from '#platform/access/digest.ts'
import { administratorScopes, isScope, problemsOfUnused } from '#platform/access/scopes.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { applicationColumns, type FreshApplication } from './entity.ts'
import { problemsOfRedirectUris, splitRedirectUris } from './redirect-uris.ts'
import { newClientSecret } from './secret.ts'

export interface NewApplication {
  readonly name: string
  /** One URI a line. */
  readonly redirect_uri: string
  /** Separated by blanks. */
  readonly scopes: string
  /** Whether it can keep a secret; true by default. */
  readonly confidential?: boolean | undefined
}

/**
 * Registers an application: of the instance, or of `owner` when there is one. Only the answer holds the secret.
 * @throws 400 for unsafe redirect URIs, unknown scopes, and scopes that the owner could not have.
 */
export async function createApplication(
  tx: Tx,
  asked: NewApplication,
  owner: { readonly id: number; readonly admin: boolean } | null,
): Promise<FreshApplication> {
  const { name, confidential = true } = asked
  const { redirect_uris, scopes } = readApplication(asked, owner === null || owner.admin)
  const secret = newClientSecret(tx)
  const application = await tx.db
    .insertInto('applications')
    .values({
      uid: tx.random.bytes(32).toString('hex'),
      secret_digest: digestOf(secret),
      name,
      redirect_uris,
      scopes,
      confidential,
      owner_id: owner?.id ?? null,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(applicationColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'application created',
    namespace: null,
    target: { type: 'Application', id: application.id },
    details: { name, scopes, confidential },
  })
  return { ...application, secret }
}

/**
 * Reads and checks the attributes of an application.
 * @param had the scopes that it has already, and may keep.
 * @throws 400 for unsafe redirect URIs, unknown scopes, scopes without a use, and those that only administrators can grant.
 */
export function readApplication(
  asked: NewApplication,
  byAdministrator: boolean,
  had: readonly string[] = [],
): { redirect_uris: string[]; scopes: string[] } {
  const redirect_uris = splitRedirectUris(asked.redirect_uri)
  const scopes = [...new Set(asked.scopes.split(/[\s,]+/).filter((scope) => scope !== ''))]
  const added = scopes.filter((scope) => !had.includes(scope))
  assertValid(asked.name, redirect_uris, { scopes, added, byAdministrator })
  return { redirect_uris, scopes }
}

interface AskedScopes {
  readonly scopes: readonly string[]
  /** Those that the application does not have yet. */
  readonly added: readonly string[]
  readonly byAdministrator: boolean
}

function assertValid(
  name: string,
  uris: readonly string[],
  { scopes, added, byAdministrator }: AskedScopes,
): void {
  const allowed = (scope: string) =>
    isScope(scope) && (byAdministrator || !administratorScopes.includes(scope))
  const problems = {
    name: name.trim() === '' ? ["can't be blank"] : [],
    redirect_uri: problemsOfRedirectUris(uris),
    scopes:
      scopes.length === 0
        ? ["can't be blank"]
        : scopes.every(allowed)
          ? problemsOfUnused(added)
          : ['can only contain available scopes'],
  }
  const found = Object.entries(problems).filter(([, texts]) => texts.length > 0)
  if (found.length > 0) throw invalid(Object.fromEntries(found))
}
