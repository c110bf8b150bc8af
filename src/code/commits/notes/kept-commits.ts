import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { Commit } from '#code/git/commit.ts'
import type { Db } from '#platform/db/pool.ts'
import { CommitEntity, presentCommit } from '../entity.ts'

/** The most characters of a message that are kept. */
const MAX_KEPT_MESSAGE = 10_000

const Content = Type.Omit(CommitEntity, ['web_url'])
export type StoredCommit = Static<typeof Content>

/**
 * Stores the fields of a commit that the API shows, before the transaction that writes a note on it. A row that is not needed in the end is
 * harmless, and a concurrent request writes the same.
 */
export async function rememberCommit(db: Db, projectId: number, commit: Commit): Promise<void> {
  const { web_url: _, ...shown } = presentCommit(commit, { projectUrl: '' })
  const content = { ...shown, title: beginningOf(shown.title), message: beginningOf(shown.message) }
  await db
    .insertInto('kept_commits')
    .values({ project_id: projectId, sha: commit.id, content: JSON.stringify(content) })
    .onConflict((oc) => oc.doNothing())
    .execute()
}

/** `jsonb` refuses the half of a character at which this may cut. */
const beginningOf = (text: string): string => text.slice(0, MAX_KEPT_MESSAGE).toWellFormed()

/** The stored fields; undefined when a previous version stored them in another form. */
export const readStoredCommit = (content: unknown): StoredCommit | undefined =>
  Check(Content, content) ? content : undefined
