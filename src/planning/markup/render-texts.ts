import type { ContainerKind } from '#platform/access/container-sources.ts'
import { uploadsOfPlace } from '#planning/uploads/addresses.ts'
import type { FilePlace } from './file-addresses.ts'
import type { Rendered } from './find-references.ts'
import { linkReferences } from './link-references.ts'
import type { MarkupReader } from './reader.ts'
import { asWritten, renderWithReferences } from './render-markdown.ts'

/** Characters of the texts of one page that are rendered. Further ones would keep other callers waiting. */
const MAX_RENDERED = 200_000

/** Where texts are. */
export interface TextPlace {
  /** The path of the project or group: `#12` is in it. Without it, only `group/project#12` leads anywhere. */
  readonly path?: string | undefined
  /** What has that path; by default a project. */
  readonly kind?: ContainerKind
  /** The address of the wiki, to which `[[Page]]` leads. */
  readonly wiki?: string | undefined
  /** The file that the text is. */
  readonly file?: FilePlace | undefined
}

/**
 * Texts of one place as HTML for one reader, in the same order. What they refer to is a link where the reader may see it, with its
 * title; all else stays text. A page of any number of texts takes at most ten statements, and none without references.
 * What rendering makes is kept for all readers (kept-renderings.ts).
 */
export async function renderTexts(
  reader: MarkupReader,
  texts: readonly string[],
  { path, kind = 'project', wiki, file }: TextPlace = {},
): Promise<string[]> {
  const rendered: Rendered[] = []
  const uploads = path === undefined ? undefined : uploadsOfPlace(kind, path)
  let left = MAX_RENDERED
  for (const text of texts) {
    if (text.length > left) {
      rendered.push({ html: asWritten(text), references: [] })
      continue
    }
    left -= text.length
    rendered.push(await renderWithReferences(text, { site: reader.site, wiki, uploads, file }))
  }
  return linkReferences(reader, rendered, path)
}
