import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden, invalid } from '#platform/refusals.ts'
import { assertPath } from '#identity/namespaces/paths.ts'
import { lockNode } from '#identity/namespaces/lock.ts'
import { moveNode } from '#identity/namespaces/tree.ts'
import { checkEmail, checkOwnEmail, assertFree, isLastAdministrator } from './account-rules.ts'
import { merged, Preferences, preferencesOf, Profile, profileOf } from './profile.ts'
import type { UserRow } from './queries.ts'

/** Changes the given fields; null clears a text, and makes a profile public. */
export interface UserChanges extends Profile, Preferences {
  readonly name?: string
  readonly username?: string
  readonly email?: string
  /** Null: no password works. */
  readonly password_digest?: string | null | undefined
  readonly admin?: boolean
  readonly external?: boolean
  readonly can_create_group?: boolean
  readonly projects_limit?: number
  readonly private_profile?: boolean | null
  readonly public_email?: string | null
  readonly commit_email?: string | null
  readonly note?: string | null
  /** The key of the avatar. */
  readonly avatar?: string | null
}

/**
 * Changes an account. A new username renames the user's namespace with everything below it; the old paths redirect. A
 * new password ends all sessions.
 * @param user locked by `lockUser`.
 * @param keptSessionId the session in which they change their own password, which goes on.
 * @throws 409 when the username or the e-mail address is taken; 400 for impossible values, when the instance would be
 * left without an administrator, or for a bot with a password; 403 for internal users.
 */
export async function updateUser(
  tx: Tx,
  user: UserRow,
  changes: UserChanges,
  keptSessionId: number | null = null,
): Promise<void> {
  const { username = user.username, name = user.name, email = user.email } = changes
  if (user.kind === 'ghost') throw forbidden('Internal users cannot be changed')
  if (username !== user.username) assertPath(username, 'user', true, 'username')
  if (username !== user.username || email !== user.email) {
    await assertFree(tx, { username, email: checkEmail(email) }, user.id)
  }
  await assertAdministrators(tx, user, changes.admin)
  const owned = [email, ...(await furtherAddresses(tx, user.id))]
  if (changes.password_digest && user.kind !== 'human') throw invalid({ password: ['is only for people'] })
  const values = {
    username,
    name,
    email,
    admin: changes.admin,
    password_digest: changes.password_digest,
    note: changes.note,
    avatar: changes.avatar,
    private_profile: changes.private_profile === null ? false : changes.private_profile,
    unconfirmed_email: email === user.email ? undefined : null,
    public_email: addressOf('public_email', user, changes, owned),
    commit_email: addressOf('commit_email', user, changes, owned),
    ...rightsOf(user, changes),
  }
  const known: object = { ...values, ...Profile.properties, ...Preferences.properties }
  const given = Object.entries(changes).filter(([field, value]) => value !== undefined && field in known)
  if (given.length === 0) return
  await tx.db
    .updateTable('users')
    .set({
      ...values,
      profile: JSON.stringify(merged(Profile, profileOf(user.profile), changes)),
      preferences: JSON.stringify(merged(Preferences, preferencesOf(user.preferences), changes)),
      updated_at: tx.now,
    })
    .where('id', '=', user.id)
    .execute()
  if (email !== user.email) await afterNewAddress(tx, user.id, email)
  await rename(tx, user, { username, name })
  record(tx, {
    name: 'user changed',
    namespace: null,
    target: { type: 'User', id: user.id },
    details: {
      fields: given.map(([field]) => field.replace('password_digest', 'password')),
      changes: changesBetween(rightsAndNames(user), values),
    },
  })
  if (changes.password_digest === undefined) return
  record(tx, {
    name: 'user password changed',
    namespace: null,
    target: { type: 'User', id: user.id },
    details: { kept_session_id: keptSessionId },
  })
}

/** The first address is no further one. Links that went to the former one no longer work. */
async function afterNewAddress(tx: Tx, userId: number, email: string): Promise<void> {
  await sql`delete from emails where user_id = ${userId} and lower(email) = ${email.toLowerCase()}`.execute(
    tx.db,
  )
  await tx.db
    .deleteFrom('account_links')
    .where('user_id', '=', userId)
    .where('purpose', '=', 'password')
    .execute()
}

async function assertAdministrators(tx: Tx, user: UserRow, admin: boolean | undefined): Promise<void> {
  if (admin === true && user.kind !== 'human') throw invalid({ admin: ['is only for people'] })
  if (admin === false && (await isLastAdministrator(tx, user))) {
    throw invalid({ admin: ['cannot be taken from the last administrator'] })
  }
}

/** The audited fields of an account; a new username is an event of its own. */
function rightsAndNames({ name, email, admin, private_profile, external, ...user }: UserRow) {
  const { can_create_group, projects_limit } = user
  return { name, email, admin, private_profile, external, can_create_group, projects_limit }
}

/** Keeps external users from making top-level groups or personal projects, whatever the request says. */
function rightsOf(
  user: UserRow,
  { external = user.external, can_create_group, projects_limit }: UserChanges,
) {
  return external
    ? { external, can_create_group: false, projects_limit: 0 }
    : { external, can_create_group, projects_limit }
}

/** Stops showing an address that is no longer the user's. */
function addressOf(
  attribute: 'public_email' | 'commit_email',
  user: UserRow,
  changes: UserChanges,
  [email = '', ...others]: readonly string[],
): string | null {
  const asked = changes[attribute]
  if (asked !== undefined) return checkOwnEmail(attribute, asked, email, others)
  const kept = user[attribute]
  return [email, ...others].some((one) => one.toLowerCase() === kept?.toLowerCase()) ? kept : null
}

/** The confirmed addresses of a user besides the first one. */
async function furtherAddresses(tx: Tx, userId: number): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('emails')
    .select('email')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .execute()
  return rows.map(({ email }) => email)
}

async function rename(tx: Tx, user: UserRow, to: { username: string; name: string }): Promise<void> {
  if (to.username === user.username && to.name === user.name) return
  if (user.namespace_id !== null) {
    await moveNode(tx, await lockNode(tx, user.namespace_id), {
      parent: null,
      path: to.username,
      name: to.name,
    })
  }
  if (to.username === user.username) return
  record(tx, {
    name: 'user renamed',
    namespace: user.namespace_id,
    target: { type: 'User', id: user.id },
    details: { from: user.username, to: to.username },
  })
}
