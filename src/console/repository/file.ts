import { RepositoryFile } from '#code/files/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'

/** Bytes of a file that a page shows. */
export const MOST_BYTES = 512 * 1024

export interface ReadFile {
  readonly size: number
  readonly name: string
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
  if (size > MOST_BYTES) return { size, name, text: undefined }
  const { content } = await api.get(RepositoryFile, address, { ref: file.ref })
  const text = Buffer.from(content, 'base64').toString()
  // As git tells binary files.
  return { size, name, text: text.slice(0, 8_000).includes('\0') ? undefined : text }
}

/** The lines of a file, each with its number, or why they are not shown. */
export function shownFile({ size, text }: ReadFile): Html {
  if (size === 0) return html`<p class="empty">The file is empty.</p>`
  if (text === undefined)
    return html`<p class="empty">
      ${size > MOST_BYTES ? 'The file is too large to be shown here.' : 'The file is not text.'} It has
      ${size} bytes.
    </p>`
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
  return html`<pre class="code"><code>${lines.map((line, index) => shownLine(line, index + 1))}</code></pre>`
}

/** A line that addresses can name: `#L12`. */
const shownLine = (line: string, number: number): Html =>
  html`<span class="line" id="L${number}"
    ><a href="#L${number}" aria-label="Line ${number}"></a>${line}${LINE_END}</span
  >`

// In a template, the formatter would take it for a place to break.
const LINE_END = '\n'
