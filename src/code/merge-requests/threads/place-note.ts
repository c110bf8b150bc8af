import type { FastifyRequest } from 'fastify'
import { isAncestor } from '#code/git/history.ts'
import { readCommit } from '#code/git/objects.ts'
import { placeOnCommit, placeOnDiff } from '#code/commits/notes/place-note.ts'
import { invalid } from '#platform/refusals.ts'
import type { Db } from '#platform/db/pool.ts'
import type { NoteableKey } from '#planning/noteables/kind.ts'
import type { NotePosition, RequestedPosition } from '#planning/noteables/position.ts'
import { comparedIn, comparedWith } from '../diffs/changes.ts'
import { versionsOf } from '../diffs/queries.ts'
import { findMergeRequest, type MergeRequestRow } from '../queries.ts'

/**
 * Checks the position of a note on the diff of a merge request, also of an earlier version; with a commit, on the diff of
 * that commit. One between other commits of the repository is traced to the diff.
 * @throws 400 for unknown commits, a file that does not differ, or a line that the diff does not show.
 */
export async function placeOnMergeRequest(
  req: FastifyRequest,
  { key }: { readonly key: NoteableKey },
  requested: RequestedPosition,
  commitId?: string,
): Promise<NotePosition> {
  const { db } = req.server
  const found = await findMergeRequest(db, req.viewer, req.project(), Number(key))
  if (commitId !== undefined) return placeOnOneCommit(req, found, requested, commitId)
  const { start_sha, head_sha } = found
  const refs = { base_sha: comparedWith(found), start_sha, head_sha }
  return placeOnDiff(
    await comparedIn(req),
    (await isOfVersion(db, found, requested)) ? requested : refs,
    requested,
  )
}

/** Whether a position names the commits that a version of the merge request compares. */
async function isOfVersion(
  db: Db,
  { id }: MergeRequestRow,
  { base_sha, start_sha, head_sha }: RequestedPosition,
): Promise<boolean> {
  const version = await versionsOf(db, id)
    .where('v.head_sha', '=', head_sha)
    .where('v.start_sha', '=', start_sha)
    .where((where) => where.fn.coalesce('v.base_sha', 'v.start_sha'), '=', base_sha)
    .limit(1)
    .executeTakeFirst()
  return version !== undefined
}

async function placeOnOneCommit(
  req: FastifyRequest,
  { head_sha }: MergeRequestRow,
  requested: RequestedPosition,
  commitId: string,
): Promise<NotePosition> {
  const repository = await comparedIn(req)
  const commit = /^[0-9a-f]{40}$/.test(commitId) ? await readCommit(repository, commitId) : undefined
  if (commit === undefined || !(await isAncestor(repository, commit.id, head_sha))) {
    throw invalid({ commit_id: ['is no commit of the merge request'] })
  }
  return { ...(await placeOnCommit(repository, commit, requested)), commit_id: commit.id }
}
