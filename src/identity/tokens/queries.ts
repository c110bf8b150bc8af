import { sql, type SelectQueryBuilder } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { AccessTokens, DB } from '#platform/db/schema.ts'
import { contains } from '#platform/db/search.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound, unauthorized } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { tokenColumns, type TokenRow } from './entity.ts'
import type { Holder } from './issue-token.ts'
import type { TokenContainer } from './resource.ts'

export const tokenOrder: ListOrder = {
  of: 'PersonalAccessToken',
  id: 't.id',
  columns: {
    created: { column: 't.created_at' },
    expires: { column: 't.expires_at', nullable: true },
    last_used: { column: 't.last_used_at', nullable: true },
    name: { column: 't.name' },
  },
  by: 'created',
  sort: 'asc',
}

type TokenQuery = SelectQueryBuilder<DB & { t: AccessTokens }, 't', TokenRow>

/** All access tokens, without the digests of their secrets. */
export function tokensIn(db: Db | Tx['db']): TokenQuery {
  return db.selectFrom('access_tokens as t').select(tokenColumns)
}

/** The tokens that the viewer may see and revoke: all for administrators, otherwise the viewer's own personal ones. */
export function tokensFor(db: Db | Tx['db'], viewer: Viewer): TokenQuery {
  const all = tokensIn(db)
  return viewer.admin ? all : all.where('t.user_id', '=', viewer.id ?? 0).where('t.kind', '=', 'personal')
}

/** The tokens of a project or group. */
export function tokensOf(db: Db | Tx['db'], { namespace_id }: TokenContainer): TokenQuery {
  return tokensIn(db).where('t.namespace_id', '=', namespace_id)
}

export interface Filter {
  readonly created_after?: string
  readonly created_before?: string
  readonly expires_after?: string
  readonly expires_before?: string
  readonly last_used_after?: string
  readonly last_used_before?: string
  readonly revoked?: boolean
  readonly search?: string
  readonly state?: 'all' | 'active' | 'inactive'
  readonly user_id?: number
}

/** @param today the day of the request, which decides whether a token is active. */
export function filterTokens(query: TokenQuery, filter: Filter, today: string): TokenQuery {
  const bounds = [
    ['t.created_at', filter.created_after, filter.created_before],
    ['t.expires_at', filter.expires_after, filter.expires_before],
    ['t.last_used_at', filter.last_used_after, filter.last_used_before],
  ] as const
  let found = query
  for (const [column, after, before] of bounds) {
    if (after !== undefined) found = found.where(column, '>=', after)
    if (before !== undefined) found = found.where(column, '<=', before)
  }
  const { revoked, search, state = 'all', user_id } = filter
  if (revoked !== undefined) found = found.where('t.revoked_at', revoked ? 'is not' : 'is', null)
  if (search !== undefined) found = found.where(contains(['t.name'], search))
  if (user_id !== undefined) found = found.where('t.user_id', '=', user_id)
  if (state === 'all') return found
  const active = sql<boolean>`(t.revoked_at is null and (t.expires_at is null or t.expires_at > ${today}::date))`
  return found.where(state === 'active' ? active : sql<boolean>`not ${active}`)
}

/**
 * Finds a token that the viewer may see.
 * @throws 404 for administrators; 401 for others, who do not learn whether the token exists.
 */
export async function findToken(db: Db | Tx['db'], viewer: Viewer, id: number): Promise<TokenRow> {
  const token = await tokensFor(db, viewer).where('t.id', '=', id).executeTakeFirst()
  if (token === undefined) throw viewer.admin ? notFound() : unauthorized()
  return token
}

/** Finds a token of a project or group. @throws 404 `project Access Token Not Found`, or the same of a group */
export async function findResourceToken(
  db: Db | Tx['db'],
  container: TokenContainer,
  id: number,
): Promise<TokenRow> {
  return tokensOf(db, container)
    .where('t.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound(`${container.kind} Access Token`))
}

/** Finds an impersonation token of a user. @throws 404 `Impersonation Token Not Found` */
export async function findImpersonationToken(
  db: Db | Tx['db'],
  userId: number,
  id: number,
): Promise<TokenRow> {
  return tokensIn(db)
    .where('t.id', '=', id)
    .where('t.user_id', '=', userId)
    .where('t.kind', '=', 'impersonation')
    .executeTakeFirstOrThrow(() => notFound('Impersonation Token'))
}

/** Finds the user for whom a token will be made. @throws 404 `User Not Found` */
export async function findHolder(db: Db | Tx['db'], id: number): Promise<Holder> {
  return db
    .selectFrom('users')
    .select(['id', 'admin', 'kind'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow(() => notFound('User'))
}

const ownTokens = (db: Db | Tx['db'], userId: number) =>
  tokensIn(db).where('t.user_id', '=', userId).where('t.kind', '=', 'personal')

/** A user's active tokens, newest first; `before` continues after one of them. */
export function ownActiveTokens(
  db: Db,
  userId: number,
  {
    today,
    before,
    limit,
  }: { readonly today: string; readonly before: number | undefined; readonly limit: number },
): Promise<TokenRow[]> {
  return filterTokens(ownTokens(db, userId), { state: 'active' }, today)
    .$if(before !== undefined, (q) => q.where('t.id', '<', before ?? 0))
    .orderBy('t.id', 'desc')
    .limit(limit)
    .execute()
}

/** A user's newest inactive tokens. */
export function ownInactiveTokens(
  db: Db,
  userId: number,
  { today, limit }: { readonly today: string; readonly limit: number },
): Promise<TokenRow[]> {
  return filterTokens(ownTokens(db, userId), { state: 'inactive' }, today)
    .orderBy('t.id', 'desc')
    .limit(limit)
    .execute()
}

/** Finds one of a user's own tokens. @throws 404 `Personal Access Token Not Found` */
export async function findOwnToken(db: Db | Tx['db'], userId: number, id: number): Promise<TokenRow> {
  return ownTokens(db, userId)
    .where('t.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Personal Access Token'))
}
