import { Type } from 'typebox'
import { defineTask } from '#platform/jobs/task.ts'

/** Days for which spam logs are kept. */
const KEPT = 90

/** Removes old spam logs every day. */
export const forgetSpam = defineTask('spam/forget', 'short', Type.Object({}), async (_, { db, clock }) => {
  const old = new Date(clock.now().getTime() - KEPT * 24 * 60 * 60 * 1000).toISOString()
  await db.deleteFrom('spam_logs').where('created_at', '<=', old).execute()
})
