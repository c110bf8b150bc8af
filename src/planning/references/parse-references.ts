import { isNamedKind, kindOfSign, kinds, type Reference, type ReferenceKind, signs } from './kinds.ts'
import { CodeSpans, paragraphsOf, runAt, type Span } from './prose.ts'
import { referenceOfUrl } from './urls.ts'

/** Words, and the characters that join words to paths and host names. */
const RUN = /[\p{L}\p{N}_./-]+/uy
/** What means nothing to any step, up to the end of the line. */
const IDLE = new RegExp(`[^\\p{L}\\p{N}_./\\-\\\\\`\\]@${signs}\\n]+`, 'uy')
const PATH = /[\w.](?:[\w.-]*[\w-])?(?:\/[\w.](?:[\w.-]*[\w-])?)*/y
const CONTAINER = /^[\w.][\w.-]*(?:\/[\w.][\w.-]*)*$/
const NUMBER = /[1-9]\d{0,14}(?![\p{L}\p{N}_])(?![.,]\d)/uy
const QUOTED = /"([^"\n]{1,255})"/y
const NAME = /[\p{L}\p{N}_:?&.-]+/uy
const URL_RUN = /https?:\/\/[^\s<>"`]*/y
const DESTINATION = /\]\(\s*[^\s)]*/y
const WORD = /[\p{L}\p{N}_]/u

/** Longer ones cannot be paths. */
const MAX_PATH = 2_048

/** The most references of one text. What comes after them is plain text, so that no text costs more than this many look-ups. */
export const MAX_REFERENCES = 5_000

/**
 * All mentions and references in a Markdown text, in order: `@user`, `@group/sub`, `#12`, `group/project#12`, `!3`,
 * `$5`, `&4`, `%"next release"`, `~bug`, and URLs of this instance. It skips code, link destinations, e-mail addresses
 * and words. Its time is proportional to the length of any text. Behind the 5,000th reference it finds no more.
 *
 * @param site where the web pages live, to recognize URLs of this instance.
 */
export function parseReferences(text: string, site: string): Reference[] {
  const found: Reference[] = []
  for (const paragraph of paragraphsOf(text)) {
    new Reader(text, paragraph, site, found).read()
    if (found.length >= MAX_REFERENCES) break
  }
  return found
}

/**
 * The same in text that is no Markdown any more, such as the text between two tags of rendered Markdown. Only backslashes have a
 * meaning there: what follows one begins no reference.
 */
export function parseReferencesInProse(text: string, site: string): Reference[] {
  const found: Reference[] = []
  // Of the same length, so that positions stay.
  const prose = text.replaceAll(/[`\]]/g, ' ')
  new Reader(prose, { start: 0, end: prose.length }, site, found).read()
  return found
}

/** The match of a sticky pattern at a position. */
function at(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position
  return pattern.exec(text)
}

/** Reads one paragraph from start to end; every step moves past what it looked at. */
class Reader {
  readonly #text: string
  readonly #end: number
  readonly #site: string
  readonly #found: Reference[]
  readonly #spans: CodeSpans
  #at: number

  constructor(text: string, { start, end }: Span, site: string, found: Reference[]) {
    this.#text = text
    this.#at = start
    this.#end = end
    this.#site = site
    this.#found = found
    this.#spans = new CodeSpans(text, { start, end })
  }

  read(): void {
    while (this.#at < this.#end && this.#found.length < MAX_REFERENCES) this.#step()
  }

  #step(): void {
    const character = this.#text[this.#at] ?? ''
    if (character === '\\') this.#at += 2
    else if (character === '`') this.#skipCode()
    else if (character === ']') this.#skipDestination()
    else if (character === '@') this.#readMention()
    else if (kindOfSign(character)) this.#readSign(null, this.#at)
    else this.#readRun()
  }

  #skipCode(): void {
    const length = runAt(this.#text, this.#at, this.#end)
    this.#at = this.#spans.endOf(this.#at, length) ?? this.#at + length
  }

  #skipDestination(): void {
    this.#at += at(DESTINATION, this.#text, this.#at)?.[0].length ?? 1
  }

  /** Reads a word, a path, a URL or the name of an e-mail address; or characters without a meaning. */
  #readRun(): void {
    const start = this.#at
    if (this.#text.startsWith('http', start)) {
      const url = at(URL_RUN, this.#text, start)?.[0]
      if (url !== undefined) return this.#readUrl(url)
    }
    const run = at(RUN, this.#text, start)?.[0]
    if (run === undefined) {
      // Not by the length of the match: it may begin in the middle of a character, after a backslash.
      this.#at = at(IDLE, this.#text, start) === null ? start + 1 : IDLE.lastIndex
      return
    }
    this.#at = start + run.length
    const next = this.#text[this.#at] ?? ''
    if (next === '@') this.#skipHandle()
    else if (kindOfSign(next)) this.#readSign(run, start)
  }

  #readUrl(written: string): void {
    const url = written.replace(/[.,;:!?)\]}'*_~|]{1,32}$/, '')
    const position = { start: this.#at, end: this.#at + url.length }
    const reference = referenceOfUrl(url, this.#site)
    if (reference) this.#found.push({ ...reference, ...position })
    this.#at += written.length
  }

  /** Skips `@host` after a name. */
  #skipHandle(): void {
    this.#at += 1
    this.#at += at(RUN, this.#text, this.#at)?.[0].length ?? 0
  }

  #readMention(): void {
    const start = this.#at
    this.#at += 1
    const before = this.#text[start - 1] ?? ''
    if (before === '@' || WORD.test(before)) return
    const path = at(PATH, this.#text, this.#at)?.[0]
    if (path === undefined || path.length > MAX_PATH) return
    this.#at += path.length
    const next = this.#text[this.#at] ?? ''
    if (next === '@') return this.#skipHandle()
    if (WORD.test(next)) return
    this.#found.push({ kind: 'mention', path, start, end: this.#at })
  }

  /** Reads a sign and what follows. The run before it is a container, or makes the sign part of a word. */
  #readSign(run: string | null, start: number): void {
    const sign = this.#text[this.#at] ?? ''
    const kind = kindOfSign(sign)
    const before = this.#text[start - 1] ?? ''
    const inWord = run === null && (kindOfSign(before) !== undefined || WORD.test(before))
    this.#at += 1
    const container = run === null ? null : kind && containerIn(run, kind)
    if (kind === undefined || inWord || container === undefined) return
    this.#readTarget(kind, container, start)
  }

  #readTarget(kind: ReferenceKind, container: string | null, start: number): void {
    const digits = at(NUMBER, this.#text, this.#at)?.[0]
    if (!isNamedKind(kind)) {
      if (digits === undefined) return
      this.#at += digits.length
      this.#found.push({ kind, container, number: Number(digits), start, end: this.#at })
      return
    }
    const quoted = at(QUOTED, this.#text, this.#at)
    const name = quoted?.[1] ?? at(NAME, this.#text, this.#at)?.[0].replace(/[:?&.-]{1,32}$/, '')
    if (name === undefined || name === '' || name.length > 255) return
    this.#at += quoted?.[0].length ?? name.length
    const number = quoted === null && digits === name ? Number(digits) : null
    this.#found.push({ kind, container, number, name, start, end: this.#at })
  }
}

/** A run of characters as the path of a container; undefined when it cannot be one of this kind. */
function containerIn(run: string, kind: ReferenceKind): string | undefined {
  if (run.length > MAX_PATH || !CONTAINER.test(run)) return undefined
  return run.includes('/') || kinds[kind].container === 'group' ? run : undefined
}
