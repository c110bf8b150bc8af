import type { Static } from 'typebox'
import type { WithStoredAvatar } from '#identity/avatars/store-avatar.ts'
import { invalid } from '#platform/refusals.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import type { NewUser } from './create-user.ts'
import type { NewUserParameters, UserChangesParameters } from './parameters.ts'
import { passwordDigestOf } from './password.ts'
import { merged, Preferences, preferencesOf, Profile, profileOf } from './profile.ts'
import type { UserRow } from './queries.ts'
import type { UserChanges } from './update-user.ts'

/**
 * An administrator's request for a new user, completed by the application settings.
 * @throws 400 for an unacceptable password.
 */
export async function newUserFrom(
  asked: WithStoredAvatar<Static<typeof NewUserParameters>>,
  settings: Settings,
): Promise<NewUser> {
  const { username, name, email, admin = false } = asked
  const passwordDigest = await passwordDigestOf(asked, { username, email })
  if (passwordDigest === undefined) throw invalid({ password: ["can't be blank"] })
  return {
    username,
    name,
    email,
    passwordDigest,
    admin,
    external: asked.external ?? settings.user_default_external,
    canCreateGroup: asked.can_create_group ?? settings.can_create_group,
    projectsLimit: asked.projects_limit ?? settings.default_projects_limit,
    privateProfile: asked.private_profile ?? false,
    publicEmail: asked.public_email ?? null,
    commitEmail: asked.commit_email ?? null,
    note: asked.note ?? null,
    avatar: asked.avatar ?? null,
    profile: profileOf(merged(Profile, {}, asked)),
    preferences: preferencesOf(merged(Preferences, {}, asked)),
    organizationId: asked.organization_id,
  }
}

/**
 * The same for changes of an account.
 * @throws 400 for an unacceptable password.
 */
export async function changesFrom(
  asked: WithStoredAvatar<Static<typeof UserChangesParameters>>,
  user: UserRow,
): Promise<UserChanges> {
  const owner = { username: asked.username ?? user.username, email: asked.email ?? user.email }
  return { ...asked, password_digest: await passwordDigestOf(asked, owner) }
}
