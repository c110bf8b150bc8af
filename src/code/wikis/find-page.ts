import { objectInfo } from '#code/git/objects.ts'
import type { Repository } from '#code/git/repository.ts'
import { listFolder } from '#code/git/tree.ts'
import { pageAt, type PageFile } from './list-files.ts'
import { isSlug } from './slug.ts'

/** Finds a page of a commit by its slug; spaces stand for hyphens, too. */
export async function findWikiPage(
  repository: Repository,
  commit: string,
  slug: string,
): Promise<PageFile | undefined> {
  const hyphened = slug.replaceAll(' ', '-')
  return (
    (await findExactly(repository, commit, slug)) ??
    (hyphened === slug ? undefined : findExactly(repository, commit, hyphened))
  )
}

/** The same by its very slug. */
export async function findExactly(
  repository: Repository,
  commit: string,
  slug: string,
): Promise<PageFile | undefined> {
  if (!isSlug(slug)) return undefined
  const cut = slug.lastIndexOf('/')
  const entries = (await listFolder(repository, commit, cut < 0 ? '' : slug.slice(0, cut))) ?? []
  const [page] = entries
    .flatMap(({ path, mode, id }) => pageAt(path, { mode, blob: id, size: 0 }) ?? [])
    .filter((one) => one.slug === slug)
    .toSorted((a, b) => a.rank - b.rank)
  const blob = page && (await objectInfo(repository, page.blob))
  return blob && { ...page, size: blob.size }
}
