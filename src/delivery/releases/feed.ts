import type { Static } from 'typebox'
import { html } from '#platform/http/html.ts'
import type { Release } from './entity.ts'

/** Releases in one feed: those that were released last. */
export const MAX_ENTRIES = 20

/** What XML has no place for. */
const text = (value: string): string => value.replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '')

interface Feed {
  readonly title: string
  /** The address of the releases for people; that of the feed is the same with `.atom`. */
  readonly page: string
  /** When there is no release. */
  readonly updated: string
  readonly releases: readonly Static<typeof Release>[]
}

/** Writes a feed in the format Atom (RFC 4287). */
export function atomFeed({ title, page, updated, releases }: Feed): string {
  const [latest] = releases
  const entries = releases.map(
    ({ name, released_at, description_html, author, _links }) =>
      html` <entry>
        <id>${_links.self}</id>
        <title>${text(name)}</title>
        <link rel="alternate" type="text/html" href="${_links.self}" />
        <updated>${released_at}</updated>
        <author><name>${text(author?.name ?? 'Unknown')}</name></author>
        <content type="html">${text(description_html ?? '')}</content>
      </entry>`,
  )
  const feed = html`<feed xmlns="http://www.w3.org/2005/Atom">
    <id>${page}</id>
    <title>${text(title)}</title>
    <link rel="alternate" type="text/html" href="${page}" />
    <link rel="self" type="application/atom+xml" href="${page}.atom" />
    <updated>${latest?.released_at ?? updated}</updated>${entries}
  </feed> `
  return `<?xml version="1.0" encoding="UTF-8"?>\n${feed.text}`
}
