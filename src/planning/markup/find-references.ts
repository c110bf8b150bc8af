import { type Reference, signs } from '#planning/references/kinds.ts'
import { parseReferencesInProse } from '#planning/references/parse-references.ts'
import { referenceOfUrl } from '#planning/references/urls.ts'
import { ESCAPED } from './escaped-signs.ts'

/** The most references of one text that become links. What comes after them stays text. */
const MAX_REFERENCES = 500

/** HTML of a text, before anybody looks at it. */
export interface Rendered {
  readonly html: string
  /** In order. Positions are those in the HTML. */
  readonly references: readonly FoundReference[]
}

/** The id of a commit, or its beginning. Whether there is one takes git to know. */
export interface CommitName {
  readonly kind: 'commit'
  readonly sha: string
  readonly start: number
  readonly end: number
}

export interface FoundReference {
  readonly reference: Reference | CommitName
  /** What stands there without a link: HTML. */
  readonly written: string
  /** What the address of a link has after the resource, such as `#note_5`; undefined for what is no address. */
  readonly fragment?: string | undefined
}

/** A tag, or the text up to the next one. The cleaned HTML has `<` and `>` nowhere else. */
const PIECE = /<(\/?)([a-z][a-z0-9]*)[^>]*>|[^<]+|</gy
/** A link that shows its own address. */
const BARE_LINK = /<a href="([^"]*)"[^>]*>([^<]*)<\/a>/y
const ENTITY = /&(?:amp|lt|gt|quot);/g
const CHARACTERS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
/** Text in these refers to nothing. */
const SKIPPED: ReadonlySet<string> = new Set(['a', 'code', 'pre', 'kbd', 'samp'])
/** Whether a text may refer to something. Most do not, and reading costs more than looking. */
const MAYBE = new RegExp(`[${ESCAPED}@${signs}]|https?:|[0-9a-f]{7}`)
/** Neither a part of a word, a path, a number or an address, nor behind a sign. */
const COMMIT = /(?<![\p{L}\p{N}_./@\\:=#$~%&!-])[0-9a-f]{7,40}(?![\p{L}\p{N}_/@-]|[.:=][\p{L}\p{N}])/gu
const NOTE = /#note_[1-9]\d{0,14}$/

/** Finds what refers to something in HTML that was rendered and cleaned: not in code, and of links only in bare addresses. */
export function findReferences(dirty: string, site: string): Rendered {
  const found: FoundReference[] = []
  let html = ''
  let skipping = 0
  for (let at = 0; at < dirty.length;) {
    const link = skipping === 0 ? bareLink(dirty, at, site) : undefined
    if (link !== undefined && found.length < MAX_REFERENCES) {
      const start = html.length
      html += link.written
      found.push({ ...link, reference: { ...link.reference, start, end: html.length } })
      at += link.written.length
      continue
    }
    PIECE.lastIndex = at
    const [piece = '', closing, tag] = PIECE.exec(dirty) ?? [dirty.slice(at)]
    at += piece.length
    if (tag !== undefined) {
      if (SKIPPED.has(tag)) skipping = Math.max(0, skipping + (closing === '/' ? -1 : 1))
      html += piece
    } else if (!MAYBE.test(piece)) html += piece
    else if (skipping > 0 || found.length >= MAX_REFERENCES) html += piece.replaceAll(ESCAPED, '')
    else html += readText(piece, html.length, site, found)
  }
  return { html, references: found }
}

function bareLink(html: string, at: number, site: string): FoundReference | undefined {
  if (!html.startsWith('<a href="', at)) return undefined
  BARE_LINK.lastIndex = at
  const [written, href = '', shown] = BARE_LINK.exec(html) ?? []
  if (written === undefined || href !== shown || href.includes('?')) return undefined
  const fragment = NOTE.exec(href)?.[0] ?? ''
  const address = href.slice(0, href.length - fragment.length)
  const reference = address.includes('#') ? undefined : referenceOfUrl(address, site)
  return reference && { reference: { ...reference, start: 0, end: 0 }, written, fragment }
}

/** Adds the references of a text to those that were found. @returns its HTML, which begins at a position of the whole */
function readText(piece: string, position: number, site: string, found: FoundReference[]): string {
  const marked = piece.replaceAll(ENTITY, (entity) => CHARACTERS[entity] ?? entity)
  const text = marked.replaceAll('\\', ' ').replaceAll(ESCAPED, '\\')
  const references = [...parseReferencesInProse(text, site), ...commitsIn(text)]
    .toSorted((a, b) => a.start - b.start)
    .slice(0, MAX_REFERENCES - found.length)
  let html = ''
  let done = 0
  for (const reference of references) {
    if (reference.start < done) continue
    html += toHtml(marked.slice(done, reference.start))
    const written = toHtml(marked.slice(reference.start, reference.end))
    const start = position + html.length
    html += written
    found.push({ reference: { ...reference, start, end: start + written.length }, written })
    done = reference.end
  }
  return html + toHtml(marked.slice(done))
}

const commitsIn = (text: string): CommitName[] =>
  [...text.matchAll(COMMIT)].map(({ 0: sha, index }) => ({
    kind: 'commit',
    sha,
    start: index,
    end: index + sha.length,
  }))

const toHtml = (text: string): string =>
  text.replaceAll(ESCAPED, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
