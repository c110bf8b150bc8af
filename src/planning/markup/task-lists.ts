import type Constructor from 'markdown-it'

type MarkdownIt = InstanceType<typeof Constructor>
type Tokens = ReturnType<MarkdownIt['parse']>

const TASK = 'task-list-item'

/** `[ ] ` and `[x] ` at the start of an item. Other signs are no tasks. */
const BOX = /^\[([ xX])\][ \t\u00A0]+(?=\S)/

/** Shows items that begin with `[ ]` or `[x]` with a box, which says whether the task is done. */
export function taskLists(markdown: MarkdownIt): void {
  markdown.core.ruler.push('task_lists', (state) => {
    const lists: (typeof state.tokens)[number][] = []
    for (const [index, token] of state.tokens.entries()) {
      if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token)
      if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop()
      if (token.type !== 'list_item_open') continue
      const [paragraph, inline] = state.tokens.slice(index + 1, index + 3)
      const first = inline?.children?.[0]
      if (paragraph?.type !== 'paragraph_open' || first?.type !== 'text') continue
      const box = BOX.exec(first.content)
      if (box === null) continue
      first.content = first.content.slice(box[0].length)
      const input = new state.Token('html_inline', '', 0)
      input.content = `<input type="checkbox"${box[1] === ' ' ? '' : ' checked'}> `
      inline?.children?.unshift(input)
      token.attrJoin('class', TASK)
      const list = lists.at(-1)
      if (list?.attrGet('class') === null) list.attrSet('class', 'task-list')
    }
  })
}

/** The lines on which tasks begin, from 0, in their order. */
export const linesOfTasks = (tokens: Tokens): readonly number[] =>
  tokens.flatMap((token, index) => {
    const line = tokens[index + 2]?.map?.[0]
    return token.type === 'list_item_open' && token.attrGet('class') === TASK && line !== undefined
      ? [line]
      : []
  })
