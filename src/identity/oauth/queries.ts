import { sql } from 'kysely'
import { digestOf } from '#platform/access/digest.ts'
import { applicationColumns, type ApplicationRow } from '#identity/applications/entity.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** An application as the consent page shows it. */
export interface ApplicationWithOwner extends ApplicationRow {
  /** Null for an application of the instance. */
  readonly owner_name: string | null
  readonly owner_username: string | null
}

function shownApplications(db: Db | Tx['db']) {
  return db
    .selectFrom('applications as a')
    .leftJoin('users as o', 'o.id', 'a.owner_id')
    .select(applicationColumns.map((column) => `a.${column}` as const))
    .select(['o.name as owner_name', 'o.username as owner_username'])
}

/** @returns undefined when there is none with this `client_id`. */
export function findApplicationByUid(db: Db, uid: string): Promise<ApplicationWithOwner | undefined> {
  return shownApplications(db).where('a.uid', '=', uid).executeTakeFirst()
}

export function findApplicationWithOwner(db: Db | Tx['db'], id: number): Promise<ApplicationWithOwner> {
  return shownApplications(db).where('a.id', '=', id).executeTakeFirstOrThrow()
}

/** A user, an application, and the time by which consents have ended. */
interface Between {
  readonly userId: number
  readonly applicationId: number
  readonly now: string
}

function consents(db: Db, { userId, applicationId, now }: Between) {
  return db
    .selectFrom('oauth_grants')
    .select('id')
    .where('user_id', '=', userId)
    .where('application_id', '=', applicationId)
    .where('ends_at', '>', now)
    .limit(1)
}

/** Whether an application has a user's tokens for all these scopes and may get more. */
export async function isAuthorized(db: Db, between: Between, scopes: readonly string[]): Promise<boolean> {
  const found = await consents(db, between)
    .where('refreshed_at', 'is not', null)
    .where(sql<boolean>`scopes @> ${[...scopes]}::text[]`)
    .executeTakeFirst()
  return found !== undefined
}

/** Whether a user lets an application act for them, with any scopes. */
export async function hasApproved(db: Db, between: Between): Promise<boolean> {
  return (await consents(db, between).executeTakeFirst()) !== undefined
}

export interface AuthorizedApplication {
  readonly id: number
  readonly name: string
  readonly owner_name: string | null
  readonly owner_username: string | null
  /** Every scope, over all consents. */
  readonly scopes: string[]
  readonly authorized_at: string
  /** When it last got or used a token. */
  readonly last_used_at: string
}

/** The applications that act for a user, by name, for the page that revokes them. One statement. */
export async function authorizedApplications(
  db: Db,
  userId: number,
  now: string,
): Promise<AuthorizedApplication[]> {
  const { rows } = await sql<AuthorizedApplication>`
    select a.id, a.name, o.name as owner_name, o.username as owner_username,
      (select array_agg(distinct scope order by scope) from unnest(mine.scopes) as scope) as scopes,
      mine.authorized_at, greatest(mine.refreshed_at, used.last_used_at) as last_used_at
    from (
      select g.application_id, min(g.created_at) as authorized_at, max(g.refreshed_at) as refreshed_at,
        string_to_array(string_agg(array_to_string(g.scopes, ' '), ' '), ' ') as scopes
      from oauth_grants g
      where g.user_id = ${userId} and g.ends_at > ${now}::timestamptz and g.refreshed_at is not null
      group by g.application_id
    ) as mine
    join applications a on a.id = mine.application_id
    left join users o on o.id = a.owner_id
    left join lateral (
      select max(t.last_used_at) as last_used_at from oauth_access_tokens t
      where t.application_id = mine.application_id and t.user_id = ${userId}
    ) as used on true
    order by a.name, a.id`.execute(db)
  return rows
}

/** An access token, as the server describes it to clients. */
export interface TokenFacts {
  readonly user_id: number | null
  readonly application_id: number
  readonly uid: string
  readonly scopes: string[]
  readonly created_at: string
  readonly ends_at: string
}

/** Finds an active access token; undefined for any other text. */
export function findActiveToken(db: Db, secret: string, now: string): Promise<TokenFacts | undefined> {
  return db
    .selectFrom('oauth_access_tokens as t')
    .innerJoin('applications as a', 'a.id', 't.application_id')
    .leftJoin('users as u', 'u.id', 't.user_id')
    .select(['t.user_id', 't.application_id', 't.scopes', 't.created_at', 't.ends_at', 'a.uid'])
    .where('t.digest', '=', digestOf(secret))
    .where('t.revoked_at', 'is', null)
    .where('t.ends_at', '>', now)
    .where(sql<boolean>`(t.user_id is null or (u.state = 'active' and u.deleted_at is null))`)
    .executeTakeFirst()
}
