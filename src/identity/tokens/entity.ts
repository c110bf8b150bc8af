import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { AccessTokens } from '#platform/db/schema.ts'
import { day, entity, integer, list, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { dayOf, iso, isoOrNull } from '#platform/http/time.ts'
import type { TokenContainer } from './resource.ts'

/** A personal access token as the API presents it; only {@link PersonalTokenWithSecret} has its secret. */
export const PersonalToken = entity('PersonalAccessToken', {
  id: integer(),
  name: Type.String(),
  revoked: Type.Boolean(),
  created_at: moment(),
  description: nullable(Type.String()),
  scopes: list(Type.String()),
  user_id: integer(),
  last_used_at: nullable(moment()),
  active: Type.Boolean(),
  expires_at: nullable(day()),
})

const secret = { token: Type.String({ description: 'The secret. Only this answer shows it.' }) }

/** The answer to creating and rotating a token. */
export const PersonalTokenWithSecret = entity('PersonalAccessTokenWithToken', {
  ...PersonalToken.properties,
  ...secret,
})

/** How a token sees itself. */
export const OwnToken = entity('OwnAccessToken', {
  ...PersonalToken.properties,
  last_used_ips: list(Type.String(), { description: 'Always empty: the server does not store it.' }),
})

/** A token with which an administrator acts as another user. */
export const ImpersonationToken = entity('ImpersonationToken', {
  ...PersonalToken.properties,
  impersonation: Type.Boolean(),
})
export const ImpersonationTokenWithSecret = entity('ImpersonationTokenWithToken', {
  ...ImpersonationToken.properties,
  ...secret,
})

/** A token of a project or group. */
export const ResourceToken = entity('ResourceAccessToken', {
  ...PersonalToken.properties,
  user_id: integer({ description: 'The bot that acts through the token.' }),
  access_level: integer(),
  resource_type: oneOf(['project', 'group']),
  resource_id: integer(),
})
export const ResourceTokenWithSecret = entity('ResourceAccessTokenWithToken', {
  ...ResourceToken.properties,
  ...secret,
})

/** Every column but the digest, what the daily job keeps, and who made an impersonation token. */
export type TokenRow = Omit<Selectable<AccessTokens>, 'digest' | 'told_days' | 'created_by_id'>

export const tokenColumns = [
  'id',
  'kind',
  'user_id',
  'namespace_id',
  'access_level',
  'name',
  'description',
  'scopes',
  'family_id',
  'created_at',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const

/** @param now the moment of the request: its day decides whether a token is active. */
export function presentToken(row: TokenRow, now: string | Date): Static<typeof PersonalToken> {
  return {
    id: row.id,
    name: row.name,
    revoked: row.revoked_at !== null,
    created_at: iso(row.created_at),
    description: row.description,
    scopes: row.scopes,
    user_id: row.user_id,
    last_used_at: isoOrNull(row.last_used_at),
    active: row.revoked_at === null && !isExpired(row, dayOf(now)),
    expires_at: row.expires_at,
  }
}

export function presentImpersonationToken(
  row: TokenRow,
  now: string | Date,
): Static<typeof ImpersonationToken> {
  return { ...presentToken(row, now), impersonation: true }
}

/** Presents a token with its secret, for the one answer that has it. */
export function presentFreshToken(
  row: TokenRow & { readonly secret: string },
  now: string | Date,
): Static<typeof PersonalTokenWithSecret> {
  return { ...presentToken(row, now), token: row.secret }
}

/** Presents a token of a project or group. */
export function presentResourceToken(
  row: TokenRow,
  { kind, id }: Pick<TokenContainer, 'kind' | 'id'>,
  now: string | Date,
): Static<typeof ResourceToken> {
  // Only personal tokens have no level.
  const access_level = row.access_level ?? 0
  return { ...presentToken(row, now), access_level, resource_type: kind, resource_id: id }
}

/** Presents a token of a project or group with its secret. */
export function presentFreshResourceToken(
  row: TokenRow & { readonly secret: string },
  container: Pick<TokenContainer, 'kind' | 'id'>,
  now: string | Date,
): Static<typeof ResourceTokenWithSecret> {
  return { ...presentResourceToken(row, container, now), token: row.secret }
}

/** Whether a token has expired. It expires at the beginning of its day. */
export function isExpired({ expires_at }: Pick<TokenRow, 'expires_at'>, today: string): boolean {
  return expires_at !== null && expires_at <= today
}
