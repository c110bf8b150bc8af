import type { Static } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import { notFound } from '#platform/refusals.ts'
import type { UserAgentDetail } from '#planning/issues/user-agent-route.ts'

/** The address and program that a snippet was created with. @throws 404 when nobody knows them */
export async function findUserAgent(db: Db, id: number): Promise<Static<typeof UserAgentDetail>> {
  const { user_agent, ip } = await db
    .selectFrom('snippets')
    .select(['user_agent', 'ip'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (user_agent === null && ip === null) throw notFound('UserAgentDetail')
  return { user_agent, ip_address: ip, akismet_submitted: false }
}
