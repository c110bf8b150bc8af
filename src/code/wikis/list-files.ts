import { records } from '#code/git/tree.ts'
import type { Repository } from '#code/git/repository.ts'
import type { PageRange } from '#platform/http/pagination.ts'
import { type Format, readFileName } from './formats.ts'
import { isSlug } from './slug.ts'

/** The most files of a wiki, attachments included. Lists of pages come whole. */
export const MOST_FILES = 50_000

/** The file of a page. */
export interface PageFile {
  readonly slug: string
  readonly format: Format
  /** Its path from the root. */
  readonly path: string
  /** The id of its content. */
  readonly blob: string
  /** Bytes of its content. */
  readonly size: number
}

/** The pages of a commit by their slugs, in git's order of their paths. */
export type PagesBySlug = ReadonlyMap<string, PageFile>

/**
 * Lists the pages of a commit, with one process. Of several files with the same slug one is the page.
 * @param most pages that are wanted, from the first one
 * @returns undefined when the commit has more than {@link MOST_FILES} files
 */
export async function listPages(
  repository: Repository,
  commit: string,
  most = Infinity,
): Promise<PagesBySlug | undefined> {
  const process = await repository.git.start(repository, ['ls-tree', '-r', '-l', '-z', commit], {
    time: 30_000,
  })
  process.stdin.end()
  const found = new Map<string, PageFile & { readonly rank: number }>()
  let files = 0
  for await (const record of records(process.output())) {
    files += 1
    if (files > MOST_FILES) return undefined
    const page = readRecord(record.toString('utf8'))
    const other = page && found.get(page.slug)
    if (page !== undefined && other === undefined && found.size >= most) break
    if (page !== undefined && (other === undefined || page.rank < other.rank)) found.set(page.slug, page)
  }
  return found
}

/** Some of these pages, which are kept: nobody lists a wiki again until it changes. */
export const pagesIn = (
  repository: Repository,
  commit: string,
  { skip, limit }: PageRange,
): Promise<readonly PageFile[]> =>
  repository.git.kept.answer(
    repository,
    `pages of a wiki ${commit} ${skip} ${limit}`,
    async () => [...((await listPages(repository, commit, skip + limit))?.values() ?? [])].slice(skip),
    {
      bytes: (pages) => pages.reduce((sum, { slug, path }) => sum + 2 * (slug.length + path.length) + 300, 0),
    },
  )

/** Reads `100644 blob <id>    <size>\t<path>`. Undefined for what is no page. */
function readRecord(text: string): (PageFile & { readonly rank: number }) | undefined {
  const tab = text.indexOf('\t')
  const [mode = '', , blob = '', size] = text.slice(0, tab).split(/ +/)
  return pageAt(text.slice(tab + 1), { mode, blob, size: Number(size) })
}

/** The page that a file is. Undefined for others, such as symbolic links. */
export function pageAt(
  path: string,
  { mode, blob, size }: { readonly mode: string; readonly blob: string; readonly size: number },
): (PageFile & { readonly rank: number }) | undefined {
  if (mode !== '100644' && mode !== '100755') return undefined
  const cut = path.lastIndexOf('/') + 1
  const name = readFileName(path.slice(cut))
  if (name === undefined) return undefined
  const slug = path.slice(0, cut) + name.stem
  return isSlug(slug) ? { slug, format: name.format, path, blob, size, rank: name.rank } : undefined
}
