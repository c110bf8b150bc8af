import type Constructor from 'markdown-it'
import { ID_PREFIX } from './allowed-html.ts'

type MarkdownIt = InstanceType<typeof Constructor>

const MAX_SLUG = 255

/** `Next steps!` → `next-steps` */
const slugOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-')
    .slice(0, MAX_SLUG)

/**
 * Gives headings an id, and an anchor with the same name without the prefix: so `#next-steps` leads there without a script, and
 * still no text has an id that the page around it may have.
 */
export function headingAnchors(markdown: MarkdownIt): void {
  markdown.core.ruler.push('heading_anchors', (state) => {
    /** Each name, and the last number that was put behind it. */
    const taken = new Map<string, number>()
    for (const [index, { type }] of state.tokens.entries()) {
      const heading = state.tokens[index]
      const inline = state.tokens[index + 1]
      if (type !== 'heading_open' || heading === undefined || !inline?.children) continue
      const title = inline.children.map((one) => (one.type === 'html_inline' ? '' : one.content)).join('')
      const slug = slugOf(title)
      if (slug === '') continue
      let count = taken.get(slug) ?? 0
      let name = slug
      while (taken.has(name)) name = `${slug}-${(count += 1)}`
      taken.set(slug, count).set(name, taken.get(name) ?? 0)
      heading.attrSet('id', `${ID_PREFIX}${name}`)
      const open = new state.Token('link_open', 'a', 1)
      open.attrs = [['name', name]]
      inline.children.unshift(open, new state.Token('link_close', 'a', -1))
    }
  })
}
