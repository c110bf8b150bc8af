import { digestOf } from '#platform/access/look-up.ts'
import type { Scope } from '#platform/access/scopes.ts'
import type { TokenKind } from '#platform/db/schema.ts'
import { record } from '#platform/facts/record.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { tokenColumns, type TokenRow } from './entity.ts'

export interface NewToken {
  readonly kind: TokenKind
  readonly userId: number
  /** The namespace and level of a token of a project or group. */
  readonly container?: { readonly namespaceId: number; readonly accessLevel: number }
  readonly name: string
  readonly description?: string | null
  readonly scopes: readonly Scope[]
  readonly expiresAt: string | null
  /** Starts every secret, so that scanners find leaked ones. */
  readonly prefix: string
  /** Only for the administrator's first token, which the operator may choose. */
  readonly secret?: string
}

/** A token that was just made: the only time that its secret is known. */
export type FreshToken = TokenRow & { readonly secret: string }

/**
 * Makes a token, whatever the rules of the instance say (issue-token.ts keeps them). The secret is in the answer
 * and nowhere else: the database holds its digest.
 */
export async function createToken(tx: Tx, token: NewToken): Promise<FreshToken> {
  const created = await insertToken(tx, { ...token, family_id: null })
  const { expires_at, access_level } = created
  record(tx, {
    name: 'token created',
    namespace: created.namespace_id,
    target: { type: 'AccessToken', id: created.id },
    details: { ...toldOf(created), scopes: token.scopes, expires_at, access_level },
  })
  return created
}

/** What every fact about a token tells. */
export function toldOf({ name, kind, user_id }: Pick<TokenRow, 'name' | 'kind' | 'user_id'>) {
  return { name, kind, user_id }
}

/** Only the row; whoever calls records what happened. */
export async function insertToken(
  tx: Tx,
  token: Omit<NewToken, 'scopes'> & {
    readonly scopes: readonly string[]
    readonly family_id: number | null
  },
): Promise<FreshToken> {
  const secret = token.secret ?? `${token.prefix}${tx.random.bytes(20).toString('base64url')}`
  const row = await tx.db
    .insertInto('access_tokens')
    .values({
      kind: token.kind,
      user_id: token.userId,
      namespace_id: token.container?.namespaceId ?? null,
      access_level: token.container?.accessLevel ?? null,
      name: token.name,
      description: token.description ?? null,
      scopes: [...token.scopes],
      digest: digestOf(secret),
      family_id: token.family_id,
      created_at: tx.now,
      expires_at: token.expiresAt,
      created_by_id: token.kind === 'impersonation' ? (tx.impersonatorId ?? tx.author?.id ?? null) : null,
    })
    .returning(tokenColumns)
    .executeTakeFirstOrThrow()
  return { ...row, secret }
}
