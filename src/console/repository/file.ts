import { RepositoryFile } from '#code/files/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { addressOf } from '../frame/lists.ts'

/** Bytes of a file of which a page shows a part. */
export const MOST_BYTES = 10 * 1024 * 1024
/** Lines and characters of a file that a page shows at once. */
const MOST_LINES = 5_000
const MOST_CHARACTERS = 512 * 1024

export interface ReadFile {
  readonly size: number
  readonly name: string
  /** The id of the commit that the reference names. */
  readonly commit: string | undefined
  /** Undefined for what is no text, or too long to be shown. */
  readonly text: string | undefined
}

/** A file as a page shows it; undefined where there is none. */
export async function readFile(
  api: Api,
  project: EitherProject,
  file: { readonly ref: string; readonly path: string },
): Promise<ReadFile | undefined> {
  const address = path`/projects/${project.id}/repository/files/${file.path}`
  const name = file.path.split('/').at(-1) ?? ''
  const head = await api.findHead(address, { ref: file.ref })
  if (head === undefined) return undefined
  const size = Number(head.get('x-gitlab-size'))
  const commit = head.get('x-gitlab-commit-id')
  if (size > MOST_BYTES) return { size, name, commit, text: undefined }
  const { content } = await api.get(RepositoryFile, address, { ref: file.ref })
  const text = Buffer.from(content, 'base64').toString()
  // As git tells binary files.
  return { size, name, commit, text: text.slice(0, 8_000).includes('\0') ? undefined : text }
}

/**
 * The lines of a file, each with its number, or why they are not shown.
 * @param part which part of a long file, from 1
 * @param here the address of the page
 */
export function shownFile({ size, name, text }: ReadFile, part = 1, here = ''): Html {
  if (size === 0) return html`<p class="empty">The file is empty.</p>`
  if (text === undefined)
    return html`<p class="empty">
      ${size > MOST_BYTES ? 'The file is too large to be shown here.' : 'The file is not text.'} It has
      ${size} bytes.
    </p>`
  const parts = partsOf((text.endsWith('\n') ? text.slice(0, -1) : text).split('\n'))
  const { first, lines } = parts[part - 1] ?? { first: 1, lines: [] }
  const links = parts.length > 1 && otherParts(parts, part, here)
  return html`${links}
    <pre
      class="code"
      data-language="${languageOf(name)}"
      tabindex="0"
    ><code>${lines.map((line, index) => shownLine(line, first + index))}</code></pre>
    ${links}`
}

/** What the name of a file says of its language, for the script that colors it. */
export const languageOf = (name: string): string => (name.split('.').at(-1) ?? '').toLowerCase()

interface FilePart {
  /** The number of its first line. */
  readonly first: number
  readonly lines: readonly string[]
}

/** Lines in parts that a browser shows at once. A line that is longer than a part is a part of its own, and cut. */
function partsOf(lines: readonly string[]): readonly FilePart[] {
  const parts: FilePart[] = []
  let start = 0
  let characters = 0
  for (const [index, line] of lines.entries()) {
    if (index > start && (index - start === MOST_LINES || characters + line.length > MOST_CHARACTERS)) {
      parts.push({ first: start + 1, lines: lines.slice(start, index) })
      start = index
      characters = 0
    }
    characters += line.length
  }
  return [...parts, { first: start + 1, lines: lines.slice(start) }]
}

const otherParts = (parts: readonly FilePart[], part: number, here: string): Html =>
  html`<nav class="pages" aria-label="Parts of the file">
    ${part > 1 && html`<a href="${addressOf(here, { part: part === 2 ? undefined : part - 1 })}">← Before</a>`}
    <span class="quiet">Part ${part} of ${parts.length}</span>
    ${part < parts.length && html`<a href="${addressOf(here, { part: part + 1 })}">Next →</a>`}
  </nav>`

/** A line that addresses can name: `#L12`. */
const shownLine = (line: string, number: number): Html =>
  html`<span class="line" id="L${number}"
    ><a href="#L${number}" aria-label="Line ${number}" data-line="${number}"></a
    >${line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)}…` : line}${LINE_END}</span
  >`

// In a template, the formatter would take it for a place to break.
const LINE_END = '\n'
