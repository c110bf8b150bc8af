import { Type } from 'typebox'
import { defineTask } from '#platform/jobs/task.ts'

/** Removes expired sessions every day. */
export const removeEndedSessions = defineTask(
  'sessions/remove-ended',
  'short',
  Type.Object({}),
  async (_, { db, clock }) => {
    await db.deleteFrom('sessions').where('ends_at', '<=', clock.now().toISOString()).execute()
  },
)
