import { digestOf } from '#access/authentication.ts'
import type { Scope } from '#access/scopes.ts'
import type { TokenKind } from '#db/schema.ts'
import { record } from '#facts/record.ts'
import type { Tx } from '#db/transaction.ts'

export interface NewToken {
  readonly kind: TokenKind
  readonly userId: number
  readonly name: string
  readonly description?: string | null
  readonly scopes: readonly Scope[]
  readonly expiresAt: string | null
  /** Starts every secret, so that scanners find leaked ones. */
  readonly prefix: string
  /** Only for the administrator's first token, which the operator may choose. */
  readonly secret?: string
}

/** Makes a token. The secret is in the answer and nowhere else: the database holds its digest. */
export async function createToken(tx: Tx, token: NewToken): Promise<{ id: number; secret: string }> {
  const secret = token.secret ?? `${token.prefix}${tx.random.bytes(20).toString('base64url')}`
  const { id } = await tx.db
    .insertInto('access_tokens')
    .values({
      kind: token.kind,
      user_id: token.userId,
      name: token.name,
      description: token.description ?? null,
      scopes: [...token.scopes],
      digest: digestOf(secret),
      created_at: tx.now,
      expires_at: token.expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await record(tx, {
    name: 'token created',
    namespace: null,
    target: { type: 'AccessToken', id },
    details: { name: token.name, scopes: token.scopes, expires_at: token.expiresAt },
  })
  return { id, secret }
}
