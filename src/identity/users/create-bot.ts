import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'

export interface NewBot {
  readonly username: string
  readonly name: string
  readonly email: string
  /** Whether it cannot see internal groups and projects, as external users cannot. */
  readonly external: boolean
}

/**
 * Makes the user that acts for an access token of a project or group. It has no password and no namespace, and cannot
 * make top-level groups or personal projects.
 */
export async function createBot(tx: Tx, { username, name, email, external }: NewBot): Promise<number> {
  const { id } = await tx.db
    .insertInto('users')
    .values({
      username,
      name,
      email,
      external,
      kind: 'bot',
      can_create_group: false,
      projects_limit: 0,
      created_by_id: tx.author?.id ?? null,
      created_at: tx.now,
      updated_at: tx.now,
      confirmed_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'user created',
    namespace: null,
    target: { type: 'User', id },
    details: { username },
  })
  return id
}
