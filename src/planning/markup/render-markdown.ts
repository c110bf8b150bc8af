import { setImmediate } from 'node:timers/promises'
import { html } from '#platform/http/html.ts'
import { allowedHtml, type Named } from './allowed-html.ts'
import { emojiNames } from './emoji-names.ts'
import { escapedSigns } from './escaped-signs.ts'
import { findReferences, type Rendered } from './find-references.ts'
import { headingAnchors } from './headings.ts'
import { keptRenderings, keyOf } from './kept-renderings.ts'
import { linesOfTasks, taskLists } from './task-lists.ts'
import { wikiLinks } from './wiki-links.ts'

/** To be raised with each change of what is made of a text. */
const VERSION = '2'

/**
 * Characters of a text that is rendered. It takes a tenth of a second for prose of this length, half a second for the
 * worst text that we know. Longer texts are shown as they are.
 */
const MAX_RENDERED = 100_000

/** Characters of HTML that are cleaned in the turn in which they were made. With longer ones, others come in between. */
const MAX_IN_ONE_TURN = 20_000

/** The same for the HTML that Markdown becomes, before it is cleaned: cells of tables that nobody wrote, and the like. */
const MAX_HTML = 600_000

/** What rendering depends on, besides the text. */
export interface Surroundings extends Named {
  /** Where the web pages live; without it, addresses are only links. */
  readonly site?: string | undefined
  /** The address of the wiki, to which `[[Page]]` leads; without it that is text. */
  readonly wiki?: string | undefined
}

interface Renderer {
  readonly render: (text: string, surroundings: Surroundings) => Promise<Rendered>
  /** The lines on which tasks begin, from 0. */
  readonly tasks: (text: string) => readonly number[]
}

/** The program reads the libraries when somebody first renders a text. */
let renderer: Promise<Renderer> | undefined

const kept = keptRenderings()

/** A text as it was written, in HTML. */
export const asWritten = (text: string): string => html`<pre>${text}</pre>`.text

/** Markdown as HTML that is safe to show to everybody: references are text in it. */
export async function renderMarkdown(
  text: string,
  surroundings: Omit<Surroundings, 'site'> = {},
): Promise<string> {
  return (await renderWithReferences(text, surroundings)).html
}

/** The same, with the references in it. */
export async function renderWithReferences(text: string, surroundings: Surroundings): Promise<Rendered> {
  if (text.length > MAX_RENDERED) return { html: asWritten(text), references: [] }
  const { site = '', wiki = '', uploads = '', file } = surroundings
  const key = keyOf([VERSION, site, wiki, uploads, JSON.stringify(file ?? null), text])
  const known = kept.get(key)
  if (known !== undefined) return known
  renderer ??= openRenderer()
  const { render } = await renderer
  // So that whoever waits comes between two texts of a page.
  await setImmediate()
  const rendered = await render(text, surroundings)
  kept.keep(key, rendered)
  return rendered
}

/** The lines of a text on which its tasks begin, from 0, in their order. A text that is too long to be rendered has none. */
export async function tasksIn(text: string): Promise<readonly number[]> {
  if (text.length > MAX_RENDERED) return []
  renderer ??= openRenderer()
  return (await renderer).tasks(text)
}

async function openRenderer(): Promise<Renderer> {
  const [{ default: MarkdownIt }, { default: sanitize }] = await Promise.all([
    import('markdown-it'),
    import('sanitize-html'),
  ])
  const markdown = new MarkdownIt({ html: true, linkify: true, maxNesting: 50 })
  wikiLinks(markdown, wikiOf)
  emojiNames(markdown)
  escapedSigns(markdown)
  headingAnchors(markdown)
  taskLists(markdown)
  return {
    async render(text, { wiki, site, ...named }) {
      const dirty = markdown.render(text, { wiki })
      if (dirty.length > MAX_HTML) return { html: asWritten(text), references: [] }
      if (dirty.length > MAX_IN_ONE_TURN) await setImmediate()
      const clean = sanitize(dirty, allowedHtml(sanitize.defaults, named))
      if (clean.length > MAX_IN_ONE_TURN) await setImmediate()
      return findReferences(clean, site ?? '')
    },
    tasks: (text) => linesOfTasks(markdown.parse(text, {})),
  }
}

/** The address of the wiki, as a rendered text knows it. */
function wikiOf(env: unknown): string | undefined {
  if (typeof env !== 'object' || env === null || !('wiki' in env)) return undefined
  return typeof env.wiki === 'string' ? env.wiki : undefined
}
