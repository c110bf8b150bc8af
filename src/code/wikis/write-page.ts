import type { FastifyRequest } from 'fastify'
import { invalid } from '#platform/refusals.ts'
import { commitToWiki, type WikiFiles } from './commit-to-wiki.ts'
import type { ShownText } from './entity.ts'
import { findWikiPage } from './find-page.ts'
import { fileOf, type Format } from './formats.ts'
import { type FrontMatter, type PageText, readFrontMatter, writeFrontMatter } from './front-matter.ts'
import { pageAt, type PageFile } from './list-files.ts'
import { readPage } from './read-page.ts'
import { movedSlug, slugOf, titleOfSlug } from './slug.ts'
import { pageNotFound, type Wiki } from './wiki.ts'

/** A page as it was written. */
export interface WrittenPage {
  readonly page: PageFile
  readonly text: ShownText
}

export interface NewWikiPage {
  readonly title: string
  readonly content: string
  readonly format?: Format
  readonly front_matter?: FrontMatter
}

/** Commits a new page. @throws 400 for a title that there is already, or that no page may have; and as commitToWiki does */
export async function createPage(req: FastifyRequest, wiki: Wiki, asked: NewWikiPage): Promise<WrittenPage> {
  const { title, content, format = 'markdown', front_matter } = asked
  const slug = slugOf(title)
  const raw = withFrontMatter(readFrontMatter(content), front_matter)
  assertSize(req, raw)
  const { result } = await commitToWiki(req, wiki, {
    async edit(files) {
      await assertFree(files, slug)
      const page = await put(files, { slug, format, raw })
      return { message: `created page: ${titleOfSlug(slug)}`, result: page }
    },
  })
  return { page: result, text: readFrontMatter(raw) }
}

/** Commits changes of a page. @throws 404 when there is none, and as {@link createPage} does */
export async function updatePage(
  req: FastifyRequest,
  wiki: Wiki,
  slug: string,
  asked: Partial<NewWikiPage>,
): Promise<WrittenPage> {
  const { result } = await commitToWiki(req, wiki, {
    async edit(files) {
      const page = await requiredPage(files, slug)
      const next = asked.title === undefined ? page.slug : movedSlug(page.slug, asked.title)
      const moves = next !== page.slug
      if (moves) await assertFree(files, next)
      const format = asked.format ?? page.format
      const raw = changedText(await readPage(files.repository, page), asked)
      assertSize(req, raw)
      await files.editor.remove(page.path)
      // A file keeps its name as long as that says the same.
      const path = moves || format !== page.format ? undefined : page.path
      const written = await put(files, { slug: next, format, raw, path })
      const message = `updated page: ${titleOfSlug(next)}`
      return { message, moves, result: { page: written, text: readFrontMatter(raw) } }
    },
  })
  return result
}

/** Commits that a page is gone. @throws 404 when there is none */
export async function deletePage(req: FastifyRequest, wiki: Wiki, slug: string): Promise<void> {
  await commitToWiki(req, wiki, {
    async edit(files) {
      const page = await requiredPage(files, slug)
      await files.editor.remove(page.path)
      return { message: `deleted page: ${titleOfSlug(page.slug)}`, result: undefined }
    },
  })
}

async function requiredPage({ repository, tip }: WikiFiles, slug: string): Promise<PageFile> {
  const page = tip === undefined ? undefined : await findWikiPage(repository, tip, slug)
  if (page === undefined) throw pageNotFound()
  return page
}

/** Clients know a page without its front matter, so new content keeps that. */
function changedText(present: PageText, { content, front_matter }: Partial<NewWikiPage>): string {
  const given = content === undefined ? present : readFrontMatter(content)
  const frontMatter = Object.keys(given.frontMatter).length === 0 ? present.frontMatter : given.frontMatter
  return withFrontMatter({ content: given.content, frontMatter }, front_matter)
}

function withFrontMatter({ content, frontMatter }: PageText, asked: FrontMatter = {}): string {
  const merged = Object.entries({ ...frontMatter, ...asked }).filter(([, value]) => value !== '')
  return writeFrontMatter({ content, frontMatter: Object.fromEntries(merged) })
}

interface Putting {
  readonly slug: string
  readonly format: Format
  readonly raw: string
  readonly path?: string | undefined
}

async function put({ editor, pack }: WikiFiles, { slug, format, raw, path }: Putting): Promise<PageFile> {
  const file = path ?? fileOf(slug, format)
  const content = Buffer.from(raw)
  const blob = pack.add('blob', content)
  const mode = '100644'
  const page = pageAt(file, { mode, blob, size: content.length })
  if (page === undefined || !(await editor.put(file, { mode, id: blob })))
    throw invalid({ title: ['is where the wiki has a folder, or below a file'] })
  return page
}

async function assertFree({ repository, tip }: WikiFiles, slug: string): Promise<void> {
  if (tip === undefined || (await findWikiPage(repository, tip, slug)) === undefined) return
  throw invalid({ base: ['Duplicate page: A page with that title already exists'] })
}

function assertSize(req: FastifyRequest, raw: string): void {
  const most = req.server.services.settings().wiki_page_max_content_bytes
  const bytes = Buffer.byteLength(raw)
  if (bytes <= most) return
  throw invalid({ content: [`is too long (${bytes} bytes). The maximum size is ${most} bytes.`] })
}
