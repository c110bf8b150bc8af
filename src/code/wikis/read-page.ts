import type { Surroundings } from '#planning/markup/render-markdown.ts'
import { readObject } from '#code/git/objects.ts'
import type { Repository } from '#code/git/repository.ts'
import type { ShownText } from './entity.ts'
import { type PageText, readFrontMatter } from './front-matter.ts'
import type { PageFile } from './list-files.ts'
import { renderPage } from './render.ts'

/** The text of a page. @throws 413 for one of more than 32 MiB, which only a push from before the wiki had rules can be */
export async function readPage(repository: Repository, { blob }: PageFile): Promise<PageText> {
  const found = await readObject(repository, blob)
  return readFrontMatter(found?.content.toString('utf8') ?? '')
}

/** The same as it is shown: as HTML where its surroundings are given. */
export async function showPage(
  repository: Repository,
  page: PageFile,
  surroundings?: Surroundings,
): Promise<ShownText> {
  const { content, frontMatter } = await readPage(repository, page)
  return {
    frontMatter,
    content: surroundings === undefined ? content : await renderPage(page.format, content, surroundings),
  }
}
