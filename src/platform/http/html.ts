/** HTML that {@link html} wrote. The class stays in this file, so nobody can declare other text to be HTML. */
class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
export type { Html }

export type Part = Html | string | number | undefined | false | readonly Part[]

/**
 * Writes HTML with values put in. Every value is escaped unless this function wrote it, too; attributes need quotes
 * around theirs. Lists are joined; undefined and false write nothing. There is no way to put in unescaped text.
 */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, index) => text + written(parts[index])).join(''))
}

function written(part: Part): string {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part))
  return part.map(written).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** A description with `code` in it. */
export function prose(text: string | undefined): Html {
  const parts = (text ?? '').split('`')
  // Without a closing backtick the last one is a backtick.
  if (parts.length % 2 === 0) return html`${text}`
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
