import { type AliasedExpression, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { type Param, prepare } from '#platform/db/prepare.ts'
import type { UserKind, UserState } from '#platform/db/schema.ts'
import { iso } from '#platform/http/time.ts'
import type { SentCredential } from './credentials.ts'
import type { Policy, Credential } from './identity.ts'
import {
  containerColumns,
  containerQuery,
  type ContainerRow,
  forShapes,
  keysOf,
  type RequestedResource,
  shapeOf,
} from './containers.ts'

/** A stored credential with its user, and the requested container when the same statement looked it up. */
export interface Found {
  credential_id: number
  credential_kind: Credential['kind']
  scopes: string[] | null
  /** The first day on which the credential no longer works. */
  expires_at: string | null
  /** The same as a moment. */
  ends_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  /** The administrator who made an impersonation token. */
  made_by: number | null
  user_id: number
  username: string
  user_name: string
  user_kind: UserKind
  state: UserState
  admin: boolean
  external: boolean
}

const user = [
  'u.id as user_id',
  'u.username',
  'u.name as user_name',
  'u.kind as user_kind',
  'u.state',
  'u.admin',
  'u.external',
] as const

const none = <T>(type: string) => sql<T | null>`null::${sql.raw(type)}`

const foundColumns = [
  'who.credential_id',
  'who.credential_kind',
  'who.scopes',
  'who.expires_at',
  'who.ends_at',
  'who.revoked_at',
  'who.last_used_at',
  'who.made_by',
  'who.user_id',
  'who.username',
  'who.user_name',
  'who.user_kind',
  'who.state',
  'who.admin',
  'who.external',
] as const

type Who = AliasedExpression<Found, 'who'>

/** Where each kind of credential is stored: one row by the digest of its secret, with its user. */
const credentialQueries = {
  'access token': (db: Db, digest: Buffer): Who =>
    db
      .selectFrom('access_tokens as t')
      .innerJoin('users as u', 'u.id', 't.user_id')
      .select(['t.id as credential_id', 't.scopes', 't.expires_at', 't.revoked_at', 't.last_used_at'])
      .select([
        sql<Credential['kind']>`t.kind::text`.as('credential_kind'),
        none<string>('timestamptz').as('ends_at'),
      ])
      .select('t.created_by_id as made_by')
      .select(user)
      .where('t.digest', '=', digest)
      .where('u.deleted_at', 'is', null)
      .as('who'),
  'OAuth token': (db: Db, digest: Buffer): Who =>
    db
      .selectFrom('oauth_access_tokens as t')
      .innerJoin('users as u', 'u.id', 't.user_id')
      .select(['t.id as credential_id', 't.scopes', 't.ends_at', 't.revoked_at', 't.last_used_at'])
      .select([
        sql<Credential['kind']>`'oauth'`.as('credential_kind'),
        none<string>('date').as('expires_at'),
        none<number>('bigint').as('made_by'),
      ])
      .select(user)
      .where('t.digest', '=', digest)
      .where('u.deleted_at', 'is', null)
      .as('who'),
  session: (db: Db, digest: Buffer): Who =>
    db
      .selectFrom('sessions as t')
      .innerJoin('users as u', 'u.id', 't.user_id')
      .select(['t.id as credential_id', 't.ends_at', 't.last_used_at'])
      .select([
        sql<Credential['kind']>`'session'`.as('credential_kind'),
        none<string[]>('text[]').as('scopes'),
        none<string>('date').as('expires_at'),
        none<string>('timestamptz').as('revoked_at'),
        none<number>('bigint').as('made_by'),
      ])
      .select(user)
      .where('t.digest', '=', digest)
      .where('u.deleted_at', 'is', null)
      .as('who'),
} as const

/**
 * Builds two look-ups: the credential alone, and the credential with a container, and what the path names in it, in
 * one round trip. Most requests need both.
 */
function finderOf(query: (db: Db, digest: Buffer) => Who) {
  return {
    alone: prepare((db: Db, param: Param<{ digest: Buffer }>) =>
      db.selectFrom(query(db, param('digest'))).select(foundColumns),
    ),
    withContainer: forShapes((shape) =>
      prepare((db: Db, param: Param<WithContainer>) => {
        const keys = { key: param('key'), nestedKey: param('nestedKey'), today: param('today') }
        return db
          .selectFrom(query(db, param('digest')))
          .leftJoinLateral(
            () => containerQuery(db, shape, keys, sql<number>`who.user_id`).as('container'),
            (join) => join.onTrue(),
          )
          .select(foundColumns)
          .select(containerColumns)
      }),
    ),
  }
}

interface WithContainer extends ReturnType<typeof keysOf> {
  readonly digest: Buffer
}

const find = {
  'access token': finderOf(credentialQueries['access token']),
  'OAuth token': finderOf(credentialQueries['OAuth token']),
  session: finderOf(credentialQueries.session),
} as const satisfies Record<SentCredential['kind'], unknown>

/**
 * Looks up the credential that was sent, with its user and the requested project or group. Undefined when it is
 * unknown.
 */
export async function lookUp(
  db: Db,
  sent: SentCredential | undefined,
  { now, today }: Policy,
  requested?: RequestedResource,
) {
  if (sent === undefined) return { found: undefined, container: undefined }
  const { alone, withContainer } = find[sent.kind]
  const { digest } = sent
  const [found] = requested
    ? await withContainer(shapeOf(requested))(db, { digest, ...keysOf(requested, today) })
    : await alone(db, { digest })
  const ended = found !== undefined && found.credential_kind === 'session' && hasEnded(found, now)
  if (found === undefined || ended) return { found: undefined, container: undefined }
  return { found, container: requested && isContainer(found) ? found : requested && null }
}

/** Whether an OAuth token or a session has ended. */
export const hasEnded = ({ ends_at }: Found, now: Date): boolean =>
  ends_at !== null && iso(ends_at) <= now.toISOString()

/** The join leaves every column null when there is no such container. */
function isContainer<Row extends object>(row: Row): row is Row & ContainerRow {
  return 'id' in row && row.id !== null
}
