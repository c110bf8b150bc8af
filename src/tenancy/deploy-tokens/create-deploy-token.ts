import { DEPLOY_TOKEN_PREFIX } from '#platform/access/credentials.ts'
import type { DeployTokenScope } from '#platform/access/deploy-token-scopes.ts'
import { usernameOf } from '#platform/access/deploy-tokens.ts'
import { digestOf } from '#platform/access/digest.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import type { TokenContainer } from '#identity/tokens/resource.ts'
import { deployTokenColumns, type DeployTokenRow } from './entity.ts'

export interface DeployTokenRequest {
  readonly name: string
  readonly scopes: readonly DeployTokenScope[]
  readonly expires_at?: string
  /** Blank for the default. */
  readonly username?: string
}

/** A token that was just made. Its secret is known only now. */
export type FreshDeployToken = DeployTokenRow & { readonly secret: string }

const USERNAME = /^[\w.+-]+$/

/**
 * Makes a deploy token of a project or group. Only the answer holds the secret; the database holds its digest.
 * @throws 400 for no scopes and for a username with other characters, 404 when the project or group is gone.
 */
export async function createDeployToken(
  tx: Tx,
  { kind, namespace_id }: TokenContainer,
  { name, expires_at, username = '', ...asked }: DeployTokenRequest,
): Promise<FreshDeployToken> {
  const scopes = [...new Set(asked.scopes)]
  if (scopes.length === 0) throw invalid({ scopes: ["can't be blank"] })
  if (username !== '' && !USERNAME.test(username)) {
    throw invalid({ username: ["can contain only letters, digits, '_', '-', '+', and '.'"] })
  }
  await lockParent(tx, namespace_id)
  const secret = `${DEPLOY_TOKEN_PREFIX}${tx.random.bytes(20).toString('base64url')}`
  const token = await tx.db
    .insertInto('deploy_tokens')
    .values({
      namespace_id,
      name,
      username: username === '' ? null : username,
      scopes,
      digest: digestOf(secret),
      created_at: tx.now,
      expires_at: expires_at ?? null,
    })
    .returning(deployTokenColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'deploy token created',
    namespace: namespace_id,
    target: { type: 'DeployToken', id: token.id },
    details: { name, kind, username: usernameOf(token), scopes, expires_at: expires_at ?? null },
  })
  return { ...token, secret }
}
