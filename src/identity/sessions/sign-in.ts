import { sql } from 'kysely'
import { verifyPassword } from '#platform/access/passwords.ts'
import type { Db } from '#platform/db/pool.ts'
import type { UserKind, UserState } from '#platform/db/schema.ts'
import { transact, type TransactionSource, type Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { Limits } from '#platform/http/limits.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { changeState } from '#identity/users/change-state.ts'
import { mailNewPlace } from '#identity/emails/account-mails.ts'
import { isNewPlace } from '#identity/emails/places.ts'
import { findUser, lockUser } from '#identity/users/queries.ts'
import { browserName } from './browser-name.ts'
import { createSession } from './create-session.ts'
import { endSession } from './end-session.ts'
import { type Attempt, limitSignIns } from './limit-sign-ins.ts'

export interface SignInAttempt extends Attempt {
  readonly password: string
  readonly userAgent: string | null
  /** The browser's present session, which the new one replaces. */
  readonly replaces: { readonly id: number; readonly userId: number } | null
}

type SignInSettings = Pick<Settings, 'session_expire_delay' | 'notify_on_unknown_sign_in'>

interface SignInServices extends TransactionSource {
  readonly limits: Limits
  readonly settings: () => SignInSettings
}

/** A session, or the sentence that says why there is none. */
export type SignedIn = { readonly secret: string; readonly minutes: number } | { readonly refusal: string }

/** The same message for wrong passwords and unknown names, so that nobody learns who has an account. */
const WRONG = 'Invalid login or password.'

/** Shown only to people who know the password. */
const REFUSALS: Partial<Record<UserState, string>> = {
  blocked:
    'Your account has been blocked. Please ask your administrator if you think that this is a mistake.',
  banned: 'Your account has been blocked. Please ask your administrator if you think that this is a mistake.',
  blocked_pending_approval:
    'Your account is pending approval from your administrator. You can sign in once it is approved.',
}
const NOT_FOR_PEOPLE = 'This account cannot sign in.'

/**
 * Signs a user in by password. It reactivates users who were deactivated as dormant.
 * @throws 429 after too many attempts.
 */
export async function signIn(services: SignInServices, attempt: SignInAttempt): Promise<SignedIn> {
  await limitSignIns(services, attempt)
  const found = await findByLogin(services.db, attempt.login)
  const digest = found?.password_digest ?? null
  const matches = await verifyPassword(digest, attempt.password)
  const author = matches && found !== undefined ? { id: found.id, username: found.username } : null
  return transact(services, { author, ip: attempt.ip }, async (tx) => {
    const user = author && (await lockAccount(tx, author.id, digest))
    if (!user) return refuse(tx, found, WRONG)
    const refusal = user.kind === 'human' ? REFUSALS[user.state] : NOT_FOR_PEOPLE
    if (refusal !== undefined) return refuse(tx, found, refusal)
    return start(tx, user, attempt, services.settings())
  })
}

interface Account {
  readonly id: number
  readonly username: string
  readonly password_digest: string | null
  readonly kind: UserKind
  readonly state: UserState
}

const columns = ['id', 'username', 'password_digest', 'kind', 'state'] as const

function findByLogin(db: Db, login: string): Promise<Account | undefined> {
  const name = login.toLowerCase()
  return db
    .selectFrom('users')
    .select(columns)
    .where(sql<boolean>`(lower(username) = ${name} or lower(email) = ${name}
        or id = (select user_id from emails where lower(email) = ${name} and confirmed_at is not null))`)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Locks the account, so that no session starts after a block has ended them all. Undefined when the password changed
 * meanwhile.
 */
function lockAccount(tx: Tx, id: number, digest: string | null): Promise<Account | undefined> {
  return tx.db
    .selectFrom('users')
    .select(columns)
    .where('id', '=', id)
    .where('password_digest', '=', digest)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

async function start(
  tx: Tx,
  { id, state }: Account,
  { userAgent, replaces }: SignInAttempt,
  settings: SignInSettings,
): Promise<SignedIn> {
  if (state === 'deactivated') await changeState(tx, await lockUser(tx, id), 'activate')
  if (replaces !== null) await endSession(tx, replaces.userId, replaces.id)
  await tx.db
    .updateTable('users')
    .set({
      sign_in_count: sql<number>`sign_in_count + 1`,
      last_sign_in_at: sql<string>`coalesce(current_sign_in_at, ${tx.now}::timestamptz)`,
      current_sign_in_at: tx.now,
    })
    .where('id', '=', id)
    .execute()
  const place = { ip: tx.ip, browser: browserName(userAgent) }
  const isNew = await isNewPlace(tx, id, place)
  if (isNew && settings.notify_on_unknown_sign_in) await mailNewPlace(tx, await findUser(tx.db, id), place)
  const minutes = settings.session_expire_delay
  const { secret } = await createSession(tx, { userId: id, userAgent, minutes })
  return { secret, minutes }
}

async function refuse(tx: Tx, account: Account | undefined, refusal: string): Promise<SignedIn> {
  record(tx, {
    name: 'sign-in refused',
    namespace: null,
    target: account === undefined ? null : { type: 'User', id: account.id },
    details: { login: account?.username ?? null },
  })
  return { refusal }
}
