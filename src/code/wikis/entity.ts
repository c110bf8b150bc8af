import { type Static, Type } from 'typebox'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { DiffEntity, presentDiff } from '../commits/diff-entity.ts'
import { formats } from './formats.ts'
import type { FrontMatter } from './front-matter.ts'
import type { PageFile } from './list-files.ts'
import type { PageChange } from './page-change.ts'
import { titleOfSlug } from './slug.ts'

const basic = {
  format: oneOf(formats),
  slug: Type.String({ description: 'The path of the page. It names the page in URLs.' }),
  title: Type.String(),
  wiki_page_meta_id: nullable(
    integer({ description: 'The id of the page, which it keeps when its slug changes. Notes are below it.' }),
  ),
}

const full = {
  content: Type.String({ description: 'Without the front matter; as HTML if you ask for it.' }),
  encoding: Type.String(),
  front_matter: Type.Unsafe<FrontMatter>({
    type: 'object',
    additionalProperties: true,
    description: 'What the page says of itself above its text, such as `title`.',
  }),
}

/** A page with its content. */
export const WikiPage = entity('WikiPage', { ...basic, ...full })

/** A page of a list, with its content if that was asked for. */
export const ListedWikiPage = entity('ListedWikiPage', {
  ...basic,
  ...Type.Partial(Type.Object(full)).properties,
})

/** What a commit did to a page. */
export const WikiPageChange = entity('WikiPageChange', {
  commit_id: Type.String({ description: 'The commit that changed the page.' }),
  parent_id: nullable(Type.String({ description: "The commit before it; null for the wiki's first one." })),
  message: Type.String(),
  author_name: Type.String(),
  committed_date: moment({ description: 'With the offset of the zone in which it was written.' }),
  diffs: Type.Array(DiffEntity, {
    description: 'How the file of the page differs. Two where the page is another file now.',
  }),
})

export const WikiAttachment = entity('WikiAttachment', {
  file_name: Type.String(),
  file_path: Type.String({ description: "The path in the wiki's repository." }),
  branch: Type.String(),
  link: Type.Object({ url: Type.String(), markdown: Type.String() }),
})

/** What is shown of the text of a page. */
export interface ShownText {
  readonly content: string
  readonly frontMatter: FrontMatter
}

export function presentBasic({ format, slug }: PageFile, id: number | null) {
  return { format, slug, title: titleOfSlug(slug), wiki_page_meta_id: id }
}

export function presentPage(
  page: PageFile,
  id: number | null,
  { content, frontMatter }: ShownText,
): Static<typeof WikiPage> {
  return { ...presentBasic(page, id), content, encoding: 'UTF-8', front_matter: frontMatter }
}

export function presentChange({ commit, files }: PageChange): Static<typeof WikiPageChange> {
  return {
    commit_id: commit.id,
    parent_id: commit.parents[0] ?? null,
    message: commit.message,
    author_name: commit.author.name,
    committed_date: commit.committer.at,
    diffs: files.map((file) => presentDiff(file, false)),
  }
}
