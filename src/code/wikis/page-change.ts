import { listChanges } from '#code/git/changed-files.ts'
import type { Commit } from '#code/git/commit.ts'
import { diffOfCommit, type FileDiff, standardLimits } from '#code/git/diff.ts'
import { log } from '#code/git/history.ts'
import type { Repository } from '#code/git/repository.ts'
import { findWikiPage } from './find-page.ts'
import { filesOf } from './formats.ts'
import { isSlug } from './slug.ts'
import type { WikiCommit } from './wiki.ts'

/** What a commit did to a page. */
export interface PageChange {
  readonly commit: Commit
  /** One file; with the one that it was before, if git sees no move in it. */
  readonly files: readonly FileDiff[]
}

/**
 * The last change of a page up to a commit, which need not have touched the page itself. A page that is gone has one, too.
 * Undefined when there was never such a page.
 */
export async function lastChange(
  { repository, commit: version }: WikiCommit,
  slug: string,
): Promise<PageChange | undefined> {
  if (!isSlug(slug.replaceAll(' ', '-'))) return undefined
  const page = await findWikiPage(repository, version, slug)
  const files = new Set([
    ...(page === undefined ? [] : [page.path]),
    ...filesOf(page?.slug ?? slug.replaceAll(' ', '-')),
  ])
  const [commit] = await log(repository, { from: [version], paths: [...files] }, { skip: 0, limit: 1 })
  if (commit === undefined) return undefined
  const paths = await withMoves(repository, commit, [...files])
  return { commit, files: (await diffOfCommit(repository, commit, { paths })).files }
}

/** Some paths, and those where a commit took their files from or to. */
async function withMoves(
  repository: Repository,
  commit: Commit,
  paths: readonly string[],
): Promise<readonly string[]> {
  const [before] = commit.parents
  const { files } = await diffOfCommit(repository, commit, { paths })
  // What only changed has not moved, and nothing moves in a first commit: all of its changes may be many.
  if (before === undefined || files.every(({ status }) => status === 'modified')) return paths
  const { changes } = await listChanges(repository, before, commit.id, { keep: standardLimits.files })
  const moves = changes.filter(({ oldPath, newPath }) => paths.includes(oldPath) || paths.includes(newPath))
  return [...new Set([...paths, ...moves.flatMap(({ oldPath, newPath }) => [oldPath, newPath])])]
}
