import { hash } from 'node:crypto'
import { type AliasedExpression, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { type Param, prepare } from '#platform/db/prepare.ts'
import type { TokenKind, UserKind, UserState } from '#platform/db/schema.ts'
import { HttpError, forbidden, notFound, unauthorized } from '#platform/http/errors.ts'
import { iso } from '#platform/http/time.ts'
import type { Credential } from './credentials.ts'
import {
  forShapes,
  type Key,
  type PlaceKind,
  placeColumns,
  placeQuery,
  type PlaceRow,
  valueOf,
} from './places.ts'
import type { RouteAccess } from './route-access.ts'
import type { Scope } from './scopes.ts'

/** The person or bot that a request acts as. */
export interface User {
  readonly id: number
  readonly username: string
  readonly name: string
  readonly kind: UserKind
  readonly state: UserState
  readonly admin: boolean
  readonly external: boolean
}

/** How the user was recognized: by a token of theirs or of an application, or as whoever signed in. */
export interface Proof {
  readonly id: number
  readonly kind: TokenKind | 'oauth' | 'session'
  readonly last_used_at: string | null
  /** What it may be used for; everything in the name of the user when they signed in. */
  readonly scopes: readonly string[] | 'all'
}

export interface Identity {
  readonly user: User
  readonly proof: Proof
  /** The administrator behind a sudo request. */
  readonly sudoBy: User | undefined
  /** The id of the administrator who acts as the user, by sudo or with an impersonation token. */
  readonly behind: number | null
  /** The place that was sought, as the user sees it: null when there is none, undefined when it was not looked for. */
  readonly place: PlaceRow | null | undefined
}

/** SHA-256 of a secret: tokens carry more than 112 bits, so that a slow hash adds nothing. */
export function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** What proves it with its user, and the place that the request names when it was looked for in the same statement. */
interface Found {
  proof_id: number
  proof_kind: Proof['kind']
  scopes: string[] | null
  /** The first day on which it does not work any more. */
  expires_at: string | null
  /** The same as a moment. */
  ends_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  /** Who made an impersonation token. */
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
  'who.proof_id',
  'who.proof_kind',
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

/** Where each kind of credential is kept: one row by the digest of its secret, with its user. */
const proofs = {
  'access token': (db: Db, digest: Buffer): Who =>
    db
      .selectFrom('access_tokens as t')
      .innerJoin('users as u', 'u.id', 't.user_id')
      .select(['t.id as proof_id', 't.scopes', 't.expires_at', 't.revoked_at', 't.last_used_at'])
      .select([sql<Proof['kind']>`t.kind::text`.as('proof_kind'), none<string>('timestamptz').as('ends_at')])
      .select('t.created_by_id as made_by')
      .select(user)
      .where('t.digest', '=', digest)
      .where('u.deleted_at', 'is', null)
      .as('who'),
  'OAuth token': (db: Db, digest: Buffer): Who =>
    db
      .selectFrom('oauth_access_tokens as t')
      .innerJoin('users as u', 'u.id', 't.user_id')
      .select(['t.id as proof_id', 't.scopes', 't.ends_at', 't.revoked_at', 't.last_used_at'])
      .select([
        sql<Proof['kind']>`'oauth'`.as('proof_kind'),
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
      .select(['t.id as proof_id', 't.ends_at', 't.last_used_at'])
      .select([
        sql<Proof['kind']>`'session'`.as('proof_kind'),
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

/** Looks up who is asking alone and, for requests about a place, both in one round trip: most need both. */
function finderOf(query: (db: Db, digest: Buffer) => Who) {
  return {
    alone: prepare((db: Db, param: Param<{ digest: Buffer }>) =>
      db.selectFrom(query(db, param('digest'))).select(foundColumns),
    ),
    withPlace: forShapes((shape) =>
      prepare((db: Db, param: Param<{ digest: Buffer; key: string | number; today: string }>) =>
        db
          .selectFrom(query(db, param('digest')))
          .leftJoinLateral(
            () => placeQuery(db, shape, param('key'), sql<number>`who.user_id`, param('today')).as('place'),
            (join) => join.onTrue(),
          )
          .select(foundColumns)
          .select(placeColumns),
      ),
    ),
  }
}

const find = {
  'access token': finderOf(proofs['access token']),
  'OAuth token': finderOf(proofs['OAuth token']),
  session: finderOf(proofs.session),
} as const satisfies Record<Credential['kind'], unknown>

/** The place that a route is about, as a request names it. */
export interface Sought {
  readonly kind: PlaceKind
  readonly key: Key
}

/**
 * Answers who is asking, or refuses: items 4 to 7 of the order of checks, save for sudo.
 *
 * @returns undefined for an anonymous caller of a route that hears them.
 * @throws 401 (or what the route says) where credentials are absent; 401 for wrong, expired and revoked ones; 403 for blocked
 * users, credentials of another kind than the route takes and tokens without the scope.
 */
export async function authenticate(
  db: Db,
  credential: Credential | undefined,
  access: RouteAccess,
  policy: Policy,
  sought?: Sought,
): Promise<Identity | undefined> {
  const { found, place } = await lookUp(db, credential, policy, sought)
  if (found === undefined) {
    // A browser sends its cookie along unasked: one of a session that has ended is none.
    const sent = credential !== undefined && credential.kind !== 'session'
    if (!sent && access.anonymous) return undefined
    throw !sent && access.withoutCredentials === 403 ? forbidden('Not authorized!') : unauthorized()
  }
  demandUsable(found, policy)
  const { proof_id: id, proof_kind: kind, scopes, last_used_at, made_by: behind } = found
  const proof: Proof = { id, kind, scopes: scopes ?? 'all', last_used_at }
  const user = userOf(found)
  demandActive(user)
  if (access.personalTokenOnly) demandPersonal(proof)
  demandScope(proof, access.scopes)
  return { user, proof, sudoBy: undefined, behind, place }
}

/**
 * Lets an administrator act as somebody else.
 * @param sudo the id or username of the user to act as.
 * @throws 401 for anonymous callers; 403 when the caller or their token may not; 404 for an unknown user.
 */
export async function actAs(db: Db, identity: Identity | undefined, sudo: string): Promise<Identity> {
  if (identity === undefined) throw unauthorized()
  const { user: caller, proof, behind } = identity
  const user = await findSudoUser(db, caller, proof, sudo)
  demandActive(user)
  // Somebody else sees the place with other rights: it is looked up again.
  return { user, proof, sudoBy: caller, behind: behind ?? caller.id, place: undefined }
}

/** The moment of the request, and what the instance allows. */
export interface Policy {
  readonly now: string
  readonly today: string
  readonly impersonationEnabled: boolean
}

async function lookUp(db: Db, credential: Credential | undefined, { now, today }: Policy, sought?: Sought) {
  if (credential === undefined) return { found: undefined, place: undefined }
  const { alone, withPlace } = find[credential.kind]
  const digest = digestOf(credential.secret)
  const [found] = sought
    ? await withPlace(sought.kind, sought.key)(db, { digest, key: valueOf(sought.key), today })
    : await alone(db, { digest })
  const ended = found !== undefined && found.proof_kind === 'session' && hasEnded(found, now)
  if (found === undefined || ended) return { found: undefined, place: undefined }
  return { found, place: sought && isPlace(found) ? found : sought && null }
}

const hasEnded = ({ ends_at }: Found, now: string): boolean => ends_at !== null && iso(ends_at) <= now

/** The join leaves every column null where there is no such place. */
function isPlace<Row extends object>(row: Row): row is Row & PlaceRow {
  return 'id' in row && row.id !== null
}

function userOf(found: Found): User {
  const { user_id: id, username, user_name: name, user_kind: kind, state, admin, external } = found
  return { id, username, name, kind, state, admin, external }
}

function demandUsable(found: Found, policy: Policy): void {
  if (found.revoked_at !== null) {
    throw new RevokedToken({ id: found.proof_id, kind: found.proof_kind })
  }
  if ((found.expires_at !== null && found.expires_at <= policy.today) || hasEnded(found, policy.now)) {
    throw new InvalidToken('Token is expired. You can either do re-authorization or token refresh.')
  }
  if (found.proof_kind === 'impersonation' && !policy.impersonationEnabled) {
    throw new InvalidToken('Token is an impersonation token but impersonation was disabled.')
  }
}

/** The OAuth form (RFC 6750) beside the specification's message. */
class InvalidToken extends HttpError {
  constructor(description: string) {
    super(
      401,
      { message: '401 Unauthorized', error: 'invalid_token', error_description: description },
      {
        'www-authenticate': `Bearer realm="The API", error="invalid_token", error_description="${description}"`,
      },
    )
  }
}

/** Says which token it was: to rotate with a revoked one is a sign that it was stolen (identity/tokens/rotate-token.ts). */
export class RevokedToken extends InvalidToken {
  readonly token: Pick<Proof, 'id' | 'kind'>
  constructor(token: Pick<Proof, 'id' | 'kind'>) {
    super('Token was revoked. You have to re-authorize from the user.')
    this.token = token
  }
}

const REFUSED_STATES: Partial<Record<UserState, string>> = {
  blocked: 'Your account has been blocked.',
  banned: 'Your account has been blocked.',
  deactivated:
    'Your account has been deactivated by your administrator. Please log back in to reactivate your account.',
  blocked_pending_approval: 'Your account is pending approval from your administrator.',
}

function demandActive(user: User): void {
  const refusal = REFUSED_STATES[user.state]
  if (refusal !== undefined) throw forbidden(refusal)
}

function demandScope({ scopes }: Proof, needed: readonly Scope[]): void {
  if (scopes === 'all' || needed.length === 0 || needed.some((scope) => scopes.includes(scope))) return
  throw insufficientScope(needed)
}

/** An impersonation token is a personal one, too. */
function demandPersonal({ kind }: Proof): void {
  if (kind === 'personal' || kind === 'impersonation') return
  throw forbidden('Must be authenticated using a personal access token')
}

/** The refusal of RFC 6750 §3.1, with the scopes that would do. */
export function insufficientScope(needed: readonly Scope[]): HttpError {
  return new HttpError(403, {
    message: '403 Forbidden',
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: needed.join(' '),
  })
}

const userColumns = ['u.id', 'u.username', 'u.name', 'u.kind', 'u.state', 'u.admin', 'u.external'] as const

async function findSudoUser(
  db: Db,
  caller: User,
  { kind, scopes }: Proof,
  idOrUsername: string,
): Promise<User> {
  if (!caller.admin) throw forbidden('Must be admin to use sudo')
  if (scopes === 'all' || kind === 'project' || kind === 'group') {
    throw forbidden('Must be authenticated using an OAuth or personal access token to use sudo')
  }
  if (!scopes.includes('sudo')) throw insufficientScope(['sudo'])
  const user = await db
    .selectFrom('users as u')
    .select(userColumns)
    .where('u.deleted_at', 'is', null)
    .$if(/^\d{1,15}$/.test(idOrUsername), (q) => q.where('u.id', '=', Number(idOrUsername)))
    .$if(!/^\d{1,15}$/.test(idOrUsername), (q) =>
      q.where(sql`lower(u.username)`, '=', idOrUsername.toLowerCase()),
    )
    .executeTakeFirst()
  if (user === undefined) throw notFound(`User with ID or username '${idOrUsername}'`)
  return user
}
