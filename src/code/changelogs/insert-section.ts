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
  let at = 0
  for (const line of text.split('\n')) {
    const version = versionOfTitle(line)
    const order = version === undefined ? 1 : compareVersions(version, section.version)
    if (order === 0)
      return joined(text.slice(0, at + line.length), section.body, text.slice(at + line.length))
    if (order < 0) return joined(text.slice(0, at), textOf(section), text.slice(at))
    at += line.length + 1
  }
  return joined(text, textOf(section), '')
}

/** Texts with a blank line between them. */
function joined(...texts: readonly string[]): string {
  const filled = texts.map((text) => text.replace(/^\n+/, '').trimEnd()).filter((text) => text !== '')
  return `${filled.join('\n\n')}\n`
}
