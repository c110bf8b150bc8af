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
 * Keeps what the API shows of a commit that somebody is about to speak of. It comes before their transaction: a row that
 * nothing needs is harmless, and whoever is faster has written the same.
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

/** What was kept; undefined when the row has not the form of what the API shows now. */
export const readStoredCommit = (content: unknown): StoredCommit | undefined =>
  Check(Content, content) ? content : undefined
