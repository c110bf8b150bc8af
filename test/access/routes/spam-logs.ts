import type { World } from '#test/world.ts'
import type { RouteExpectations } from '#test/access/route-expectation.ts'

/** A spam log of somebody. */
async function made(w: World): Promise<number> {
  const { id: user_id } = await w.user()
  const { id } = await w.db
    .insertInto('spam_logs')
    .values({
      user_id,
      noteable_type: 'Issue',
      title: 'Buy',
      description: 'now',
      digest: Buffer.alloc(32),
      created_at: w.clock.now().toISOString(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export const spamLogExpectations: RouteExpectations = {
  'GET /spam_logs': {
    in: 'instance',
    lowest: 'administrator',
    status: 200,
    request: () => ({ path: '/spam_logs' }),
  },
  'DELETE /spam_logs/:id': {
    in: 'instance',
    lowest: 'administrator',
    status: 204,
    request: async (w) => ({ path: `/spam_logs/${await made(w)}` }),
  },
}
