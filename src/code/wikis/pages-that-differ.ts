import { changedFiles } from '#code/git/changed-files.ts'
import { NO_OBJECT } from '#code/git/names.ts'
import type { Repository } from '#code/git/repository.ts'
import { resolveCommit } from '#code/git/resolve.ts'
import type { ReferenceChange } from '#code/repositories/rules.ts'
import { findExactly } from './find-page.ts'
import { listPages, pageAt, type PagesBySlug } from './list-files.ts'

/** Pages that are looked at one by one. For more, it is quicker to list all. */
const FEW = 20

const NO_PAGES: PagesBySlug = new Map()

/**
 * The pages before and after a change of a branch: those that differ, and perhaps others.
 * @returns undefined when one of the commits has more files than rules allow
 */
export async function pagesThatDiffer(
  repository: Repository,
  change: ReferenceChange,
): Promise<{ readonly before: PagesBySlug; readonly after: PagesBySlug } | undefined> {
  const [old, young] = [await commitAt(repository, change.before), await commitAt(repository, change.after)]
  const slugs = await touchedBy(repository, old, young)
  const pagesAt = (commit: string) =>
    slugs === undefined ? listPages(repository, commit) : pick(repository, commit, slugs)
  const before = old === undefined ? NO_PAGES : await pagesAt(old)
  const after = young === undefined ? NO_PAGES : await pagesAt(young)
  return before && after && { before, after }
}

async function commitAt(repository: Repository, id: string): Promise<string | undefined> {
  return id === NO_OBJECT ? undefined : resolveCommit(repository, id)
}

/** The slugs of all files that differ. Undefined when they are many. */
async function touchedBy(
  repository: Repository,
  before: string | undefined,
  after: string | undefined,
): Promise<ReadonlySet<string> | undefined> {
  if (before === undefined || after === undefined) return undefined
  const files = await changedFiles(repository, before, after)
  const slugs = new Set(files.flatMap(({ oldPath, newPath }) => [oldPath, newPath]).flatMap(slugAt))
  return slugs.size > FEW ? undefined : slugs
}

/** The slug of a file, if it may be a page. */
const slugAt = (path: string): string[] => {
  const page = pageAt(path, { mode: '100644', blob: '', size: 0 })
  return page === undefined ? [] : [page.slug]
}

async function pick(
  repository: Repository,
  commit: string,
  slugs: ReadonlySet<string>,
): Promise<PagesBySlug> {
  const found = await Promise.all([...slugs].map((slug) => findExactly(repository, commit, slug)))
  return new Map(found.flatMap((page) => (page === undefined ? [] : [[page.slug, page] as const])))
}
