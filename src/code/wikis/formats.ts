/** The formats of pages. */
export const formats = ['markdown', 'rdoc', 'asciidoc', 'org'] as const
export type Format = (typeof formats)[number]

/** The extensions of each format; new files get the first one. */
const extensions: Readonly<Record<Format, readonly string[]>> = {
  markdown: ['md', 'markdown', 'mdown', 'mkdn', 'mkd'],
  rdoc: ['rdoc'],
  asciidoc: ['asciidoc', 'adoc'],
  org: ['org'],
}

interface RankedFormat {
  readonly format: Format
  /** Of two files with the same slug, the one with the lower rank is the page. */
  readonly rank: number
}

const byExtension: ReadonlyMap<string, RankedFormat> = new Map(
  formats
    .flatMap((format) => extensions[format].map((extension) => [extension, format] as const))
    .map(([extension, format], rank) => [extension, { format, rank }]),
)

/** What the name of a file says: its name without the extension, and its format. Undefined for other files. */
export function readFileName(name: string): (RankedFormat & { readonly stem: string }) | undefined {
  const dot = name.lastIndexOf('.')
  const known = dot < 1 ? undefined : byExtension.get(name.slice(dot + 1).toLowerCase())
  return known && { ...known, stem: name.slice(0, dot) }
}

/** The paths of all files that may be a page. */
export const filesOf = (slug: string): readonly string[] =>
  formats.flatMap((format) => extensions[format].map((extension) => `${slug}.${extension}`))

/** The path of the file for a new page. */
export const fileOf = (slug: string, format: Format): string => `${slug}.${extensions[format][0] ?? format}`
