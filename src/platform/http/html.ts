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
  return new Html(texts.map((text, index) => text + written(parts[index])).join(''))
}

function written(part: Part): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  return part.map(written).join('')
}

/**
 * HTML that the renderer of texts has cleaned (src/planning/markup). Nothing else may come in this way; `test/contract/imports.test.ts`
 * names who may call it.
 */
export const cleaned = (text: string): Html => new Html(text)

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it stands in HTML, also between quotes. For parts of a text that is no page; pages use {@link html}. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** A description with `code` in it. */
export function prose(text: string | undefined): Html {
  const parts = (text ?? '').split('`')
  // Without a closing backtick, the last backtick is a plain character.
  if (parts.length % 2 === 0) return html`${text}`
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
