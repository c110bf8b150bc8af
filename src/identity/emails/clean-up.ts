import { Type } from 'typebox'
import { defineTask } from '#platform/jobs/task.ts'

/** Days for which a place stays known without anybody signing in there. */
const KNOWN = 180

/** Removes links that have ended, and places where nobody was for long. */
export const cleanUpLinks = defineTask(
  'emails/clean-up',
  'short',
  Type.Object({}),
  async (_, { db, clock }) => {
    const now = clock.now()
    const long = new Date(now.getTime() - KNOWN * 24 * 60 * 60 * 1000).toISOString()
    await db.deleteFrom('account_links').where('ends_at', '<=', now.toISOString()).execute()
    await db.deleteFrom('sign_in_places').where('seen_at', '<=', long).execute()
  },
)
