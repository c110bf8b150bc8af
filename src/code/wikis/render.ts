import { asWritten, renderMarkdown, type Surroundings } from '#planning/markup/render-markdown.ts'
import type { Format } from './formats.ts'

/** A page as HTML that is safe to show. Other formats than Markdown are shown as they are. */
export async function renderPage(format: Format, text: string, surroundings: Surroundings): Promise<string> {
  return format === 'markdown' ? renderMarkdown(text, surroundings) : asWritten(text)
}
