import type Constructor from 'markdown-it'
import { charactersOfEmoji } from '#planning/award-emoji/emoji.ts'

type MarkdownIt = InstanceType<typeof Constructor>

const NAMED = /:([a-z0-9_+-]{1,100}):(?![\p{L}\p{N}:])/uy
const WORD = /[\p{L}\p{N}:]/u

/** Shows `:tada:` as the emoji of that name. */
export function emojiNames(markdown: MarkdownIt): void {
  markdown.inline.ruler.push('emoji', (state, silent) => {
    if (state.src[state.pos] !== ':' || WORD.test(state.src[state.pos - 1] ?? '')) return false
    NAMED.lastIndex = state.pos
    const [written = '', name = ''] = NAMED.exec(state.src) ?? []
    const emoji = name === '' ? undefined : charactersOfEmoji(name)
    if (emoji === undefined) return false
    if (!silent) state.push('text_special', '', 0).content = emoji
    state.pos += written.length
    return true
  })
}
