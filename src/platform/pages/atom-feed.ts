import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { html } from '#platform/http/html.ts'

/** Entries of one feed: the last ones. */
export const MAX_ENTRIES = 20

/** Characters of the text of an entry that is no HTML. */
const MAX_SUMMARY = 2_000

/** What XML has no place for. */
const text = (value: string): string =>
  value.toWellFormed().replace(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '')

/** The answer of a route that sends a feed. */
export const AtomFeed = Type.Unsafe<string>({ type: 'string', contentMediaType: 'application/atom+xml' })

export interface FeedEntry {
  /** Its address for people. */
  readonly page: string
  /** What it is known by, where several entries have one page. */
  readonly id?: string
  readonly title: string
  readonly updated: string
  readonly author: string | undefined
  /** HTML that the renderer of texts has cleaned. */
  readonly html?: string
  /** Otherwise a text, of which the beginning is shown. */
  readonly summary?: string | undefined
}

export interface Feed {
  readonly title: string
  /** The address for people of what it is about. */
  readonly page: string
  /** Its own address. */
  readonly self: string
  /** When it has no entry. */
  readonly updated?: string
  readonly entries: readonly FeedEntry[]
}

/** When nothing ever happened: always the same, so that readers who have an empty feed are told so. */
const NEVER = '1970-01-01T00:00:00Z'

/** Sends a feed in the format Atom (RFC 4287). */
export function sendFeed(reply: FastifyReply, { title, page, self, updated, entries }: Feed): string {
  void reply.type('application/atom+xml; charset=utf-8')
  const latest = entries.reduce<string | undefined>(
    (last, entry) =>
      last === undefined || Date.parse(entry.updated) > Date.parse(last) ? entry.updated : last,
    undefined,
  )
  const feed = html`<feed xmlns="http://www.w3.org/2005/Atom">
    <id>${page}</id>
    <title>${text(title)}</title>
    <link rel="alternate" type="text/html" href="${page}" />
    <link rel="self" type="application/atom+xml" href="${self}" />
    <updated>${latest ?? updated ?? NEVER}</updated>${entries.slice(0, MAX_ENTRIES).map(entryAsXml)}
  </feed> `
  return `<?xml version="1.0" encoding="UTF-8"?>\n${feed.text}`
}

const entryAsXml = (entry: FeedEntry) =>
  html` <entry xml:base="${entry.page}">
    <id>${entry.id ?? entry.page}</id>
    <title>${text(entry.title)}</title>
    <link rel="alternate" type="text/html" href="${entry.page}" />
    <updated>${entry.updated}</updated>
    <author><name>${text(entry.author ?? 'Unknown')}</name></author>
    ${entry.html !== undefined && html`<content type="html">${text(entry.html)}</content>`}
    ${
      entry.summary !== undefined &&
      entry.summary !== '' &&
      html`<summary type="text">${text(entry.summary.slice(0, MAX_SUMMARY))}</summary>`
    }
  </entry>`
