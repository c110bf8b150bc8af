import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { CommitSignature } from '#code/git/new-commit.ts'
import type { Clock } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'

/** The caller as the author of commits that they make now: with their name and their address for commits. */
export function committerOf(req: FastifyRequest): Promise<CommitSignature> {
  const { db, services } = req.server
  return signatureOfUser({ db, clock: services.clock }, req.user().id)
}

/** The same for any user. */
export async function signatureOfUser(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  id: number,
): Promise<CommitSignature> {
  const found = await db
    .selectFrom('users')
    .select(['name', sql<string>`coalesce(commit_email, email)`.as('email')])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { ...found, time: clock.now().getTime() }
}
