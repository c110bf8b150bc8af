import { compareVersions, type Version, versionOfTitle } from './versions.ts'

/** A section of a changelog. */
export interface Section {
  readonly version: Version
  /** `## 1.0.0 (2026-01-05)` */
  readonly title: string
  /** What follows. */
  readonly body: string
}

export const textOf = ({ title, body }: Section): string => `${title}\n\n${body}`

/**
 * Puts a section into a changelog: before the first one of an earlier version, or at the end. Where the version has a section, the
 * body goes below its title.
 */
export function insertSection(file: string, section: Section): string {
  const text = file.replaceAll('\r\n', '\n')
  for (const [at, line] of titlesIn(text)) {
    const version = versionOfTitle(line)
    const order = version === undefined ? 1 : compareVersions(version, section.version)
    if (order === 0)
      return joined(text.slice(0, at + line.length), section.body, text.slice(at + line.length))
    if (order < 0) return joined(text.slice(0, at), textOf(section), text.slice(at))
  }
  return joined(text, textOf(section), '')
}

/** The lines that may be titles of sections, and where they are. It looks at no other line: there may be millions. */
function* titlesIn(text: string): Generator<readonly [at: number, line: string]> {
  for (let at = text.startsWith('##') ? 0 : titleAfter(text, 0); at >= 0; at = titleAfter(text, at)) {
    const end = text.indexOf('\n', at)
    yield [at, end < 0 ? text.slice(at) : text.slice(at, end)]
  }
}

/** Where the next line begins that may be a title; -1 when there is none. */
function titleAfter(text: string, at: number): number {
  const before = text.indexOf('\n##', at)
  return before < 0 ? -1 : before + 1
}

/** Texts with a blank line between them. */
function joined(...texts: readonly string[]): string {
  const filled = texts.map((text) => withoutEmptyLines(text).trimEnd()).filter((text) => text !== '')
  return `${filled.join('\n\n')}\n`
}

/** A text from its first line with anything on. A pattern would need the stack for millions of empty lines. */
function withoutEmptyLines(text: string): string {
  let from = 0
  while (text[from] === '\n') from += 1
  return text.slice(from)
}
