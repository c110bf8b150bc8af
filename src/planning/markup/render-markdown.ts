import { html } from '#platform/http/html.ts'
import { wikiLinks } from './wiki-links.ts'

/**
 * Characters of a text that is rendered. All others wait meanwhile: a tenth of a second for prose of this length, half
 * a second for the worst text that we know. Longer texts are shown as they are.
 */
const MAX_RENDERED = 100_000

/** The program reads the libraries when somebody first renders a text. */
let renderer: Promise<(text: string, wiki: string | undefined) => string> | undefined

/** A text as it was written, in HTML. */
export const asWritten = (text: string): string => html`<pre>${text}</pre>`.text

/**
 * Markdown as HTML that is safe to show.
 * @param wiki the address of the wiki, to which `[[Page]]` leads; without it that is text.
 */
export async function renderMarkdown(text: string, wiki?: string): Promise<string> {
  if (text.length > MAX_RENDERED) return asWritten(text)
  renderer ??= openRenderer()
  return (await renderer)(text, wiki)
}

async function openRenderer(): Promise<(text: string, wiki: string | undefined) => string> {
  const [{ default: MarkdownIt }, { default: sanitize }] = await Promise.all([
    import('markdown-it'),
    import('sanitize-html'),
  ])
  const markdown = new MarkdownIt({ html: true, linkify: true, maxNesting: 50 })
  wikiLinks(markdown, wikiOf)
  const { allowedTags, allowedAttributes } = sanitize.defaults
  const options = {
    allowedTags: [...allowedTags, 'img', 'del', 'ins', 'details', 'summary'],
    allowedAttributes: {
      ...allowedAttributes,
      a: ['href', 'title', 'name', 'rel'],
      img: ['src', 'alt', 'title', 'width', 'height'],
      ...Object.fromEntries(['th', 'td'].map((tag) => [tag, ['align', 'colspan', 'rowspan']])),
    },
    allowedClasses: { code: ['language-*'] },
    allowedSchemes: ['http', 'https', 'mailto', 'ftp', 'tel'],
    allowProtocolRelative: false,
    // Texts are written by many people, and search engines should not reward what they link to.
    transformTags: { a: sanitize.simpleTransform('a', { rel: 'nofollow noreferrer noopener' }) },
  }
  return (text, wiki) => sanitize(markdown.render(text, { wiki }), options)
}

/** The address of the wiki, as a rendered text knows it. */
function wikiOf(env: unknown): string | undefined {
  if (typeof env !== 'object' || env === null || !('wiki' in env)) return undefined
  return typeof env.wiki === 'string' ? env.wiki : undefined
}
