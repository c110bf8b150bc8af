/** HTML that {@link html} wrote. The class stays in this file, so that no other code can declare text to be HTML. */
class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
export type { Html }

export type Part = Html | string | number | undefined | false | readonly Part[]

/**
 * Writes HTML with values inserted. It escapes every value that it did not write itself; values in attributes need
 * quotes around them. It joins lists, and writes nothing for undefined and false. The only unescaped text is what
 * {@link cleaned} lets in.
 */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const [first = '', ...others] = shortened(texts)
  let text = first
  for (const [index, other] of others.entries()) text += written(parts[index]) + other
  return new Html(text)
}

/** The fixed texts of each template without the indentation that its source has: it would be a tenth of a long page. */
const shortTexts = new WeakMap<TemplateStringsArray, readonly string[]>()

function shortened(texts: TemplateStringsArray): readonly string[] {
  const known = shortTexts.get(texts)
  if (known !== undefined) return known
  const short = texts.map((text) => text.replaceAll(/\n\s+/g, '\n'))
  shortTexts.set(texts, short)
  return short
}

/** Texts first: they are most of what pages show. */
function written(part: Part): string {
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  return part.map(written).join('')
}

/**
 * HTML that the renderer of texts has cleaned (src/planning/markup). Nothing else may come in this way; `test/contract/imports.test.ts`
 * names who may call it.
 */
export const cleaned = (text: string): Html => new Html(text)

const SPECIAL = /[&<>"']/

/** Text as it stands in HTML, also between quotes. For parts of a text that is no page; pages use {@link html}. */
export function escapeHtml(text: string): string {
  // Most texts have nothing to escape, and a function for each character would take four times as long for the others.
  if (!SPECIAL.test(text)) return text
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** A description with `code` in it. */
export function prose(text: string | undefined): Html {
  const parts = (text ?? '').split('`')
  // Without a closing backtick, the last backtick is a plain character.
  if (parts.length % 2 === 0) return html`${text}`
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
