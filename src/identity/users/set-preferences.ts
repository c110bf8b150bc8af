import type { Tx } from '#platform/db/transaction.ts'
import { keepOwn } from './keep-own.ts'
import { merged, Preferences, preferencesOf } from './profile.ts'
import type { UserRow } from './queries.ts'

/** Changes a user's preferences; absent ones stay. */
export async function setPreferences(
  tx: Tx,
  user: Pick<UserRow, 'id' | 'preferences'>,
  given: Preferences,
): Promise<Preferences> {
  const preferences = preferencesOf(merged(Preferences, preferencesOf(user.preferences), given))
  await keepOwn(tx, user.id, { preferences: JSON.stringify(preferences) })
  return preferences
}
