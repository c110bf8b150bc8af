import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { CommitSignature } from '#code/git/new-commit.ts'

/** The caller as the author of commits that they make now: with their name and their address for commits. */
export async function committerOf(req: FastifyRequest): Promise<CommitSignature> {
  const { db, services } = req.server
  const found = await db
    .selectFrom('users')
    .select(['name', sql<string>`coalesce(commit_email, email)`.as('email')])
    .where('id', '=', req.user().id)
    .executeTakeFirstOrThrow()
  return { ...found, time: services.clock.now().getTime() }
}
