import type Constructor from 'markdown-it'

type MarkdownIt = InstanceType<typeof Constructor>

/** The longest link that is looked for. */
const MAX_LINK = 2_048

/** What a link says of where it leads, as opposed to the name of a page. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i

/** The address of the page that a link names, with the heading after `#`. */
function addressOf(page: string, base: string): string {
  const [name = '', ...heading] = page.split('#')
  const slug = name.trim().replaceAll(/\s+/g, '-').replace(/^\/+/, '')
  const fragment = heading.length === 0 ? '' : `#${heading.join('#').trim()}`
  return slug === '' ? fragment : `${base}/${slug.split('/').map(encodeURIComponent).join('/')}${fragment}`
}

/**
 * Makes links of `[[Page]]` and `[[Text|Page]]`. Spaces of page names are hyphens in their slugs, and slashes make folders, which
 * are counted from the root of the wiki.
 * @param baseOf the address of the wiki; undefined where there is none, and brackets stay text.
 */
export function wikiLinks(markdown: MarkdownIt, baseOf: (env: unknown) => string | undefined): void {
  markdown.inline.ruler.before('link', 'wiki_link', (state, silent) => {
    const { src, pos } = state
    const base = baseOf(state.env)
    if (base === undefined || !src.startsWith('[[', pos)) return false
    const end = src.slice(pos, pos + MAX_LINK).indexOf(']]')
    const written = end < 0 ? '' : src.slice(pos + 2, pos + end)
    const cut = written.indexOf('|')
    const page = (cut < 0 ? written : written.slice(cut + 1)).trim()
    const text = cut < 0 ? page : written.slice(0, cut).trim()
    if (page === '' || text === '' || /[\n[\]]/.test(written)) return false
    const href = ADDRESS.test(page) ? page : addressOf(page, base)
    if (!markdown.validateLink(href)) return false
    if (!silent) {
      state.push('link_open', 'a', 1).attrs = [['href', href]]
      state.push('text', '', 0).content = text
      state.push('link_close', 'a', -1)
    }
    state.pos = pos + end + 2
    return true
  })
}
