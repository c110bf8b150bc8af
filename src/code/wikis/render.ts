import { asWritten, renderMarkdown } from '#planning/markup/render-markdown.ts'
import type { Format } from './formats.ts'

/**
 * A page as HTML that is safe to show. Other formats than Markdown are shown as they are.
 * @param wiki the address of the wiki, to which `[[Page]]` leads
 */
export async function renderPage(format: Format, text: string, wiki?: string): Promise<string> {
  return format === 'markdown' ? renderMarkdown(text, wiki) : asWritten(text)
}
