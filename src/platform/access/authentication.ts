import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { UserState } from '#platform/db/schema.ts'
import {
  forbidden,
  InvalidToken,
  NotAllowed,
  notFound,
  unauthorized,
  WrongCredential,
} from '#platform/refusals.ts'
import { phrases } from '#platform/known-texts.ts'
import type { RequestedResource } from './containers.ts'
import type { SentCredential } from './credentials.ts'
import type { Identity, Policy, Credential, User } from './identity.ts'
import { type FoundCredential, isCredentialOver, lookUpCredential } from './look-up.ts'
import type { RouteAccess } from './route-access.ts'
import type { Scope } from './scopes.ts'

/**
 * Identifies the caller, or refuses: items 4 to 7 of the order of checks, except sudo.
 *
 * @returns undefined for an anonymous caller of a route that allows them.
 * @throws 401 (or the route's own status) where credentials are absent; 401 for wrong, expired and revoked ones, and for the tokens
 * of jobs where the route does not accept them; 403 for blocked users, for other credentials of a kind that the route does not accept,
 * and for tokens without the scope.
 */
export async function authenticate(
  db: Db,
  sent: SentCredential | undefined,
  access: RouteAccess,
  policy: Policy,
  requested?: RequestedResource,
): Promise<Identity | undefined> {
  // Routes that take one identify it themselves.
  if (sent?.kind === 'deploy token') throw unauthorized()
  const { found, container } = await lookUpCredential(db, sent, policy, requested)
  if (found === undefined) {
    // Browsers send their cookie unasked, so the cookie of an ended session counts as no credential.
    const wasSent = sent !== undefined && sent.kind !== 'session'
    if (!wasSent && access.anonymous) return undefined
    throw !wasSent && access.withoutCredentials === 403 ? forbidden('Not authorized!') : unauthorized()
  }
  if (found.job !== null && access.jobToken !== true) throw new WrongCredential(NO_JOB_TOKENS)
  if (found.credential_kind === 'feed' && access.feedToken !== true) throw new WrongCredential(NO_FEED_TOKENS)
  assertUsable(found, policy)
  const { credential_id: id, credential_kind: kind, scopes, last_used_at, made_by: impersonatorId } = found
  const credential: Credential = { id, kind, scopes: scopes ?? 'all', last_used_at }
  const user = userOf(found)
  assertActive(user)
  if (access.personalTokenOnly) assertPersonal(credential)
  assertScope(credential, access.scopes)
  if (found.job !== null) {
    const job = { ...found.job, isOfAdmin: user.admin, isConfined: policy.allowListsEnforced }
    return { user: { ...user, admin: false }, credential, sudoBy: undefined, impersonatorId, job, container }
  }
  return { user, credential, sudoBy: undefined, impersonatorId, job: undefined, container }
}

/**
 * The caller of another route, who is known already.
 * @throws as {@link authenticate} does for what this route refuses
 */
export function useAgain(identity: Identity | undefined, access: RouteAccess): Identity | undefined {
  if (identity === undefined) {
    if (access.anonymous) return undefined
    throw access.withoutCredentials === 403 ? forbidden('Not authorized!') : unauthorized()
  }
  // Whoever sends a form of a page is there themselves: its session may make tokens.
  if (access.personalTokenOnly && identity.credential.kind !== 'session') assertPersonal(identity.credential)
  assertScope(identity.credential, access.scopes)
  return { ...identity, container: undefined }
}

const NO_JOB_TOKENS = 'this endpoint does not accept job tokens'
const NO_FEED_TOKENS = 'this endpoint does not accept feed tokens'

/**
 * Lets an administrator act as another user.
 * @param sudo the id or username of the user to act as.
 * @throws 401 for anonymous callers; 403 when the caller or their token may not; 404 for an unknown user.
 */
export async function actAs(db: Db, identity: Identity | undefined, sudo: string): Promise<Identity> {
  if (identity === undefined) throw unauthorized()
  const { user: caller, credential, impersonatorId } = identity
  const user = await findSudoUser(db, caller, credential, sudo)
  assertActive(user)
  // The other user has other rights on the requested project or group, so it is looked up again.
  return {
    user,
    credential,
    sudoBy: caller,
    impersonatorId: impersonatorId ?? caller.id,
    job: undefined,
    container: undefined,
  }
}

function userOf(found: FoundCredential): User {
  const { user_id: id, username, user_name: name, user_kind: kind, state, admin, external } = found
  return { id, username, name, kind, state, admin, external }
}

function assertUsable(found: FoundCredential, policy: Policy): void {
  if (found.revoked_at !== null) {
    throw new RevokedToken({ id: found.credential_id, kind: found.credential_kind })
  }
  if (
    (found.expires_at !== null && found.expires_at <= policy.today) ||
    isCredentialOver(found, policy.now)
  ) {
    throw new InvalidToken('Token is expired. You can either do re-authorization or token refresh.')
  }
  if (found.credential_kind === 'impersonation' && !policy.impersonationEnabled) {
    throw new InvalidToken('Token is an impersonation token but impersonation was disabled.')
  }
}

/** Names the token: using a revoked token to rotate is a sign that it was stolen (identity/tokens/rotate-token.ts). */
export class RevokedToken extends InvalidToken {
  readonly token: Pick<Credential, 'id' | 'kind'>
  constructor(token: Pick<Credential, 'id' | 'kind'>) {
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

/** Why nobody in this state may do anything; undefined for those who may. */
export const refusalOfState = (state: UserState): string | undefined => REFUSED_STATES[state]

function assertActive(user: User): void {
  const refusal = refusalOfState(user.state)
  if (refusal !== undefined) throw forbidden(refusal)
}

function assertScope({ scopes }: Credential, needed: readonly Scope[]): void {
  if (scopes === 'all' || needed.length === 0 || needed.some((scope) => scopes.includes(scope))) return
  throw insufficientScope(needed)
}

/** Impersonation tokens are personal tokens, too. */
function assertPersonal({ kind }: Credential): void {
  if (kind === 'personal' || kind === 'impersonation') return
  throw forbidden('Must be authenticated using a personal access token')
}

/** The refusal of RFC 6750 §3.1, with the scopes that would suffice. */
export function insufficientScope(needed: readonly string[]): NotAllowed {
  return new NotAllowed(phrases['not allowed'], {
    fields: {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope: needed.join(' '),
    },
  })
}

const userColumns = ['u.id', 'u.username', 'u.name', 'u.kind', 'u.state', 'u.admin', 'u.external'] as const

async function findSudoUser(
  db: Db,
  caller: User,
  { kind, scopes }: Credential,
  idOrUsername: string,
): Promise<User> {
  if (!caller.admin) throw forbidden('Must be admin to use sudo')
  if (scopes === 'all' || kind === 'project' || kind === 'group') {
    throw forbidden('Must be authenticated using an OAuth or personal access token to use sudo')
  }
  if (!scopes.includes('sudo')) throw insufficientScope(['sudo'])
  return db
    .selectFrom('users as u')
    .select(userColumns)
    .where('u.deleted_at', 'is', null)
    .$if(/^\d{1,15}$/.test(idOrUsername), (q) => q.where('u.id', '=', Number(idOrUsername)))
    .$if(!/^\d{1,15}$/.test(idOrUsername), (q) =>
      q.where(sql`lower(u.username)`, '=', idOrUsername.toLowerCase()),
    )
    .executeTakeFirstOrThrow(() => notFound(`User with ID or username '${idOrUsername}'`))
}
