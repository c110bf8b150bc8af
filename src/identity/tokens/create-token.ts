import { digestOf } from '#platform/access/digest.ts'
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
  /** Starts every secret, so that scanners recognize leaked ones. */
  readonly prefix: string
  /** Only for the administrator's first token, whose secret the operator may choose. */
  readonly secret?: string
}

/** A token that was just made. Its secret is known only now. */
export type FreshToken = TokenRow & { readonly secret: string }

/**
 * Makes a token without checking the rules of the instance (issue-token.ts does). Only the answer holds the secret; the
 * database holds its digest.
 */
export async function createToken(tx: Tx, token: NewToken): Promise<FreshToken> {
  const created = await insertToken(tx, { ...token, family_id: null })
  const { expires_at, access_level } = created
  record(tx, {
    name: 'token created',
    namespace: created.namespace_id,
    target: { type: 'AccessToken', id: created.id },
    details: { ...detailsOf(created), scopes: token.scopes, expires_at, access_level },
  })
  return created
}

/** The data that every event about a token has. */
export function detailsOf({ name, kind, user_id }: Pick<TokenRow, 'name' | 'kind' | 'user_id'>) {
  return { name, kind, user_id }
}

/** Inserts the row; the caller records the event. */
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
