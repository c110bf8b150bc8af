import { logIds } from '#code/git/history.ts'
import { type ObjectInfo, objectInfo } from '#code/git/objects.ts'
import { cleanPath, findEntry, type TreeEntry } from '#code/git/tree.ts'
import { requestedCommit } from '#code/repositories/requested.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { notFound } from '#platform/refusals.ts'

/** A file of a commit. */
export interface FileInCommit {
  readonly repository: StoredRepository
  /** The id of the commit in which it was looked for. */
  readonly commit: string
  readonly entry: TreeEntry
  readonly blob: ObjectInfo
}

/** Finds a file, or a symbolic link. @throws 404 when there is no such commit or no such file */
export async function findFile(
  repository: StoredRepository | undefined,
  ref: string | undefined,
  path: string,
): Promise<FileInCommit> {
  const commit = await requestedCommit(repository, ref)
  if (repository === undefined || commit === undefined) throw notFound('Commit')
  const entry = await findEntry(repository, commit, path)
  const blob = entry?.type === 'blob' ? await objectInfo(repository, entry.id) : undefined
  if (entry === undefined || blob === undefined) throw notFound('File')
  return { repository, commit, entry, blob }
}

/** The id of the last commit that changed a file. */
export async function lastCommitOf({ repository, commit, entry }: FileInCommit): Promise<string> {
  const path = cleanPath(entry.path) ?? ''
  const [last] = await logIds(repository, { from: [commit], paths: [path] }, { skip: 0, limit: 1 })
  return last ?? commit
}
