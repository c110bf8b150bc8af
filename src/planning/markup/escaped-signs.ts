import type Constructor from 'markdown-it'
import { signs } from '#planning/references/kinds.ts'

type MarkdownIt = InstanceType<typeof Constructor>

/** Stands before a sign that was written behind a backslash, until references were looked for. No text has it: Markdown replaces it. */
export const ESCAPED = '\0'

/** Marks `\#` and the like, which begin no reference. In HTML they would look as if they did. */
export function escapedSigns(markdown: MarkdownIt): void {
  markdown.core.ruler.before('text_join', 'escaped_signs', (state) => {
    for (const { children } of state.tokens) {
      for (const token of children ?? []) {
        const isSign = token.content === '@' || signs.includes(token.content)
        if (token.type === 'text_special' && token.info === 'escape' && isSign)
          token.content = `${ESCAPED}${token.content}`
      }
    }
  })
}
