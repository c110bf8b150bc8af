import type { Tx } from '#db/transaction.ts'
import { record } from '#facts/record.ts'
import { merged, Preferences, preferencesOf } from './profile.ts'
import type { UserRow } from './queries.ts'

/** Changes how somebody likes their pages; what is not given stays. */
export async function setPreferences(
  tx: Tx,
  user: Pick<UserRow, 'id' | 'preferences'>,
  given: Preferences,
): Promise<Preferences> {
  const preferences = preferencesOf(merged(Preferences, preferencesOf(user.preferences), given))
  await tx.db
    .updateTable('users')
    .set({ preferences: JSON.stringify(preferences) })
    .where('id', '=', user.id)
    .execute()
  await record(tx, {
    name: 'user changed',
    namespace: null,
    target: { type: 'User', id: user.id },
    details: { fields: ['preferences'] },
  })
  return preferences
}
