import type { Db } from '#platform/db/pool.ts'

export interface SessionRow {
  readonly id: number
  readonly ip: string | null
  readonly user_agent: string | null
  readonly created_at: string
  readonly last_used_at: string | null
  readonly ends_at: string
}

/** The active sessions of a user, newest first; `before` continues after one of them. */
export function sessionsOf(
  db: Db,
  userId: number,
  {
    now,
    before,
    limit,
  }: { readonly now: string; readonly before: number | undefined; readonly limit: number },
): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'ip', 'user_agent', 'created_at', 'last_used_at', 'ends_at'])
    .where('user_id', '=', userId)
    .where('ends_at', '>', now)
    .$if(before !== undefined, (q) => q.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Whether the first administrator, whom the first start made, has never signed in. */
export async function isNew(db: Db): Promise<boolean> {
  const first = await db
    .selectFrom('users')
    .select(['admin', 'sign_in_count'])
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return first !== undefined && first.admin && first.sign_in_count === 0
}
