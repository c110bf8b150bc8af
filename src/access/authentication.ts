import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '#db/pool.ts'
import { type Param, prepare } from '#db/prepare.ts'
import type { TokenKind, UserKind, UserState } from '#db/schema.ts'
import { HttpError, forbidden, notFound, unauthorized } from '#http/errors.ts'
import { type Asking, credentialOf } from './credentials.ts'
import { forShapes, type Key, type PlaceKind, placeQuery, type PlaceRow, valueOf } from './places.ts'
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

/** How the user was recognized. */
export interface Token {
  readonly id: number
  readonly kind: TokenKind
  readonly scopes: readonly string[]
  readonly last_used_at: string | null
}

export interface Identity {
  readonly user: User
  readonly token: Token
  /** The administrator behind a sudo request. */
  readonly sudoBy: User | undefined
  /** The place that was sought, as the user sees it: null when there is none, undefined when it was not looked for. */
  readonly place: PlaceRow | null | undefined
}

/** SHA-256 of a secret: tokens carry more than 112 bits, so that a slow hash adds nothing. */
export function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

/** A token with its user, and the place that the request names when it was looked for in the same statement. */
interface Found {
  token_id: number
  token_kind: TokenKind
  scopes: string[]
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  user_id: number
  username: string
  user_name: string
  user_kind: UserKind
  state: UserState
  admin: boolean
  external: boolean
}

const tokenQuery = (db: Db, digest: Buffer) =>
  db
    .selectFrom('access_tokens as t')
    .innerJoin('users as u', 'u.id', 't.user_id')
    .select([
      't.id as token_id',
      't.kind as token_kind',
      't.scopes',
      't.expires_at',
      't.revoked_at',
      't.last_used_at',
      'u.id as user_id',
      'u.username',
      'u.name as user_name',
      'u.kind as user_kind',
      'u.state',
      'u.admin',
      'u.external',
    ])
    .where('t.digest', '=', digest)
    .where('u.deleted_at', 'is', null)

const findToken = prepare((db: Db, param: Param<{ digest: Buffer }>) => tokenQuery(db, param('digest')))

/** Who is asking and what they ask about, in one round trip: most requests need both. */
const findTokenAndPlace = forShapes((shape) =>
  prepare((db: Db, param: Param<{ digest: Buffer; key: string | number; today: string }>) =>
    tokenQuery(db, param('digest'))
      .leftJoinLateral(
        () => placeQuery(db, shape, param('key'), sql<number>`u.id`, param('today')).as('place'),
        (join) => join.onTrue(),
      )
      .selectAll('place'),
  ),
)

/** The place that a route is about, as a request names it. */
export interface Sought {
  readonly kind: PlaceKind
  readonly key: Key
}

/**
 * Answers who is asking, or refuses: items 4 to 7 of the order of checks.
 *
 * @returns undefined for an anonymous caller of a route that hears them.
 * @throws 401 for credentials that are wrong, expired, revoked or absent where needed; 403 for blocked users,
 * refused sudo and tokens without the scope; 404 for an unknown sudo user.
 */
export async function authenticate(
  db: Db,
  asking: Asking,
  access: RouteAccess,
  policy: { readonly today: string; readonly impersonationEnabled: boolean },
  sought?: Sought,
): Promise<Identity | undefined> {
  const credential = credentialOf(asking)
  if (credential === undefined) {
    if (access.anonymous && sudoOf(asking) === undefined) return undefined
    throw unauthorized()
  }
  const digest = digestOf(credential.secret)
  const { found, place } = sought
    ? await findWithPlace(db, digest, sought, policy.today)
    : { found: (await findToken(db, { digest }))[0], place: undefined }
  if (found === undefined) throw unauthorized()
  demandUsable(found, policy)
  const { token_id: id, token_kind: kind, scopes, last_used_at } = found
  const token = { id, kind, scopes, last_used_at }
  const caller = userOf(found)
  demandActive(caller)
  const sudo = sudoOf(asking)
  const user = sudo === undefined ? caller : await findSudoUser(db, caller, token, sudo)
  if (user !== caller) demandActive(user)
  demandScope(token, access.scopes)
  // Somebody else sees the place with other rights: it is looked up again.
  return sudo === undefined
    ? { user, token, sudoBy: undefined, place }
    : { user, token, sudoBy: caller, place: undefined }
}

async function findWithPlace(db: Db, digest: Buffer, { kind, key }: Sought, today: string) {
  const find = findTokenAndPlace(kind, key)
  const [found] = await find(db, { digest, key: valueOf(key), today })
  return { found, place: found && isPlace(found) ? found : null }
}

/** The join leaves every column null where there is no such place. */
function isPlace(row: { [Column in keyof PlaceRow]: PlaceRow[Column] | null }): row is PlaceRow {
  return row.id !== null
}

function userOf(found: Found): User {
  const { user_id: id, username, user_name: name, user_kind: kind, state, admin, external } = found
  return { id, username, name, kind, state, admin, external }
}

function demandUsable(
  found: Found,
  policy: { readonly today: string; readonly impersonationEnabled: boolean },
): void {
  if (found.revoked_at !== null) {
    throw new RevokedToken(found.token_id)
  }
  if (found.expires_at !== null && found.expires_at <= policy.today) {
    throw new InvalidToken('Token is expired. You can either do re-authorization or token refresh.')
  }
  if (found.token_kind === 'impersonation' && !policy.impersonationEnabled) {
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

/** Says which token it was: to rotate with a revoked one is a sign that it was stolen (tokens/rotate-token.ts). */
export class RevokedToken extends InvalidToken {
  readonly tokenId: number
  constructor(tokenId: number) {
    super('Token was revoked. You have to re-authorize from the user.')
    this.tokenId = tokenId
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

function demandScope(token: Token, needed: readonly Scope[]): void {
  if (needed.length === 0 || needed.some((scope) => token.scopes.includes(scope))) return
  throw insufficientScope(needed)
}

function insufficientScope(needed: readonly Scope[]): HttpError {
  return new HttpError(403, {
    message: '403 Forbidden',
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: needed.join(' '),
  })
}

/** The user to act as, from the parameter or, behind it, the header. */
function sudoOf({ headers, parameters }: Asking): string | undefined {
  const given = parameters['sudo'] ?? headers['sudo']
  return typeof given === 'string' || typeof given === 'number' ? String(given) : undefined
}

const userColumns = ['u.id', 'u.username', 'u.name', 'u.kind', 'u.state', 'u.admin', 'u.external'] as const

async function findSudoUser(db: Db, caller: User, token: Token, idOrUsername: string): Promise<User> {
  if (!caller.admin) throw forbidden('Must be admin to use sudo')
  if (token.kind === 'project' || token.kind === 'group') {
    throw forbidden('Must be authenticated using an OAuth or personal access token to use sudo')
  }
  if (!token.scopes.includes('sudo')) throw insufficientScope(['sudo'])
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
