import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import { hasExpired, usernameOf } from '#platform/access/deploy-tokens.ts'
import type { DeployTokens } from '#platform/db/schema.ts'
import { entity, integer, list, moment, nullable } from '#platform/http/schema.ts'
import { isoOrNull } from '#platform/http/time.ts'

/** A deploy token as the API presents it. */
export const DeployToken = entity('DeployToken', {
  id: integer(),
  name: Type.String(),
  username: Type.String(),
  expires_at: nullable(moment()),
  scopes: list(Type.String()),
  revoked: Type.Boolean({ description: 'Always false: a token that is deleted is gone.' }),
  expired: Type.Boolean(),
})

/** The answer to creating a token. */
export const DeployTokenWithSecret = entity('DeployTokenWithToken', {
  ...DeployToken.properties,
  token: Type.String({ description: 'The secret. Only this answer shows it.' }),
})

/** Every column that an answer needs; never the digest. */
export type DeployTokenRow = Pick<
  Selectable<DeployTokens>,
  'id' | 'namespace_id' | 'name' | 'username' | 'scopes' | 'expires_at'
>

export const deployTokenColumns = ['id', 'namespace_id', 'name', 'username', 'scopes', 'expires_at'] as const

export function presentDeployToken(row: DeployTokenRow, now: string): Static<typeof DeployToken> {
  return {
    id: row.id,
    name: row.name,
    username: usernameOf(row),
    expires_at: isoOrNull(row.expires_at),
    scopes: row.scopes,
    revoked: false,
    expired: hasExpired(row, now),
  }
}
