import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html, type Html } from '#platform/http/html.ts'
import { packageFolder } from '#platform/package.ts'
import { GUIDES } from './layout.ts'

// The guides of this version, as they are written: Markdown, which people read as plain text. `html` knows no way to put
// rendered text into a page, and should not for their sake.

const FOLDER = join(packageFolder, 'docs', 'guides')

export interface Guide {
  /** The last segment of its path. */
  readonly file: string
  readonly title: string
  readonly text: string
}

/** The guides that are installed with this program, by their titles. */
export function readGuides(folder = FOLDER): readonly Guide[] {
  return namesIn(folder)
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      return { file, title: /^# (.+)$/m.exec(text)?.[1] ?? file, text }
    })
    .toSorted((one, other) => one.title.localeCompare(other.title))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[\w-]+\.md$/.test(name))
  } catch {
    return [] // where only the program is installed
  }
}

export function listOfGuides(guides: readonly Guide[]): Html {
  return html` <section aria-labelledby="guides">
    <h2 id="guides">Guides</h2>
    <p>They show how to do things with the API, step by step, and what differs from GitLab.</p>
    <ul>
      ${guides.map(({ file, title }) => html`<li><a href="${GUIDES}/${file}">${title}</a></li> `)}
    </ul>
  </section>`
}
