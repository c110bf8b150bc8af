import type { UserKind } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { levels } from '#platform/access/roles.ts'
import { assertPath } from '#identity/namespaces/paths.ts'
import { insertNode } from '#identity/namespaces/tree.ts'
import { checkEmail, checkOwnEmail, assertFree } from './account-rules.ts'
import { merged, Preferences, Profile } from './profile.ts'

export interface NewUser {
  readonly username: string
  readonly name: string
  readonly email: string
  /** Null when the user cannot sign in with a password. */
  readonly passwordDigest: string | null
  readonly kind?: UserKind
  readonly admin?: boolean
  readonly external?: boolean
  readonly canCreateGroup?: boolean
  readonly projectsLimit?: number
  readonly privateProfile?: boolean
  readonly publicEmail?: string | null
  readonly commitEmail?: string | null
  readonly note?: string | null
  /** The key of the avatar. */
  readonly avatar?: string | null
  readonly profile?: Profile
  readonly preferences?: Preferences
  /** The default organization when absent. */
  readonly organizationId?: number | undefined
}

/**
 * Makes a user and their namespace of the same path.
 * @throws 409 when the username (also as a group's path) or the e-mail address is taken, 400 for an impossible one.
 */
export async function createUser(tx: Tx, user: NewUser): Promise<{ id: number; namespaceId: number }> {
  assertPath(user.username, 'user', true, 'username')
  checkEmail(user.email)
  await assertFree(tx, user)
  // External users cannot make top-level groups or personal projects.
  const { external = false } = user
  const { id } = await tx.db
    .insertInto('users')
    .values({
      username: user.username,
      name: user.name,
      email: user.email,
      kind: user.kind ?? 'human',
      admin: user.admin ?? false,
      external,
      can_create_group: !external && (user.canCreateGroup ?? true),
      projects_limit: external ? 0 : (user.projectsLimit ?? 100_000),
      private_profile: user.privateProfile ?? false,
      password_digest: user.passwordDigest,
      public_email: checkOwnEmail('public_email', user.publicEmail ?? null, user.email),
      commit_email: checkOwnEmail('commit_email', user.commitEmail ?? null, user.email),
      note: user.note ?? null,
      avatar: user.avatar ?? null,
      profile: JSON.stringify(merged(Profile, {}, user.profile ?? {})),
      preferences: JSON.stringify(merged(Preferences, {}, user.preferences ?? {})),
      created_by_id: tx.author?.id ?? null,
      created_at: tx.now,
      updated_at: tx.now,
      confirmed_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const namespace = await insertNode(tx, null, {
    kind: 'user',
    path: user.username,
    name: user.name,
    visibility: 'public',
    ownerId: id,
    organizationId: user.organizationId,
  })
  await tx.db
    .insertInto('members')
    .values({
      namespace_id: namespace.id,
      user_id: id,
      access_level: levels.owner,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .execute()
  record(tx, {
    name: 'user created',
    namespace: namespace.id,
    target: { type: 'User', id },
    details: { username: user.username },
  })
  return { id, namespaceId: namespace.id }
}
