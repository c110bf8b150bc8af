import { parse, stringify } from 'yaml'

/** What a page says of itself above its text, such as another title. */
export type FrontMatter = Readonly<Record<string, unknown>>

export interface PageText {
  readonly frontMatter: FrontMatter
  /** What follows. */
  readonly content: string
}

/** Two lines of three dashes, and a blank line after them. */
const BLOCK = /^---[ \t]*\r?\n((?:[^]*?\n)?)---[ \t]*(?:\r?\n(?:[ \t]*\r?\n)?|$)/

/** Characters of a block that is read. */
const MAX_FRONT_MATTER = 4_096

/** Takes the front matter off a page. What cannot be read stays part of the text. */
export function readFrontMatter(raw: string): PageText {
  const head = raw.slice(0, MAX_FRONT_MATTER)
  const [block, yaml] = BLOCK.exec(head) ?? []
  const frontMatter = yaml === undefined ? undefined : readYaml(yaml)
  if (block === undefined || frontMatter === undefined) return { frontMatter: {}, content: raw }
  return { frontMatter, content: raw.slice(block.length) }
}

function readYaml(text: string): FrontMatter | undefined {
  try {
    const value: unknown = parse(text, { maxAliasCount: 0, logLevel: 'error' })
    if (value === null) return {}
    if (typeof value !== 'object' || Array.isArray(value)) return undefined
    return Object.fromEntries(Object.entries(value))
  } catch {
    return undefined
  }
}

/** The whole text of a page. */
export function writeFrontMatter({ frontMatter, content }: PageText): string {
  return Object.keys(frontMatter).length === 0 ? content : `---\n${stringify(frontMatter)}---\n\n${content}`
}
