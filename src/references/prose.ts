/** A stretch of text, from its first character to behind its last. */
export interface Span {
  readonly start: number
  readonly end: number
}

const FENCE = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})/
const INDENTED = /^(?: {4}|\t| {1,3}\t)/
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const BLANK = /^[\s>]*$/

/**
 * The paragraphs of a Markdown text: everything but fenced and indented code. Lines that belong together stay
 * together, since code spans go over line ends but not over blank lines. One pass.
 */
export function* paragraphsOf(text: string): Generator<Span> {
  let paragraph: { start: number; end: number } | undefined
  let fence: string | undefined
  let mayIndent = true
  let inList = false
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end)
    const opening: string | undefined = FENCE.exec(line)?.[1]
    const blank = BLANK.test(line)
    const indented: boolean = fence === undefined && mayIndent && !inList && INDENTED.test(line) && !blank
    if (fence !== undefined || blank || indented || opens(line, opening)) {
      if (paragraph) yield paragraph
      paragraph = undefined
      if (fence !== undefined) fence = closes(line, opening, fence) ? undefined : fence
      else if (!blank && !indented) fence = opening
      mayIndent = blank || indented || fence === undefined
      continue
    }
    if (LIST_ITEM.test(line)) inList = true
    else if (mayIndent && !/^\s/.test(line)) inList = false
    mayIndent = false
    if (paragraph) paragraph.end = end
    else paragraph = { start, end }
  }
  if (paragraph) yield paragraph
}

function* linesOf(text: string): Generator<Span> {
  let start = 0
  while (start < text.length) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    yield { start, end }
    start = end + 1
  }
}

/** Backticks behind the opening ones make it a code span of one line. */
function opens(line: string, opening: string | undefined): boolean {
  if (opening === undefined) return false
  return opening.startsWith('~') || !line.slice(line.indexOf(opening) + opening.length).includes('`')
}

function closes(line: string, closing: string | undefined, fence: string): boolean {
  if (closing === undefined || closing[0] !== fence[0] || closing.length < fence.length) return false
  return line.slice(line.indexOf(closing) + closing.length).trim() === ''
}

/** Finds where code spans end: those of a paragraph, in one pass however many backticks there are. */
export class CodeSpans {
  readonly #starts = new Map<number, number[]>()

  constructor(text: string, { start, end }: Span) {
    for (let at = text.indexOf('`', start); at >= 0 && at < end;) {
      const length = runAt(text, at, end)
      const known = this.#starts.get(length)
      if (known) known.push(at)
      else this.#starts.set(length, [at])
      at = text.indexOf('`', at + length)
    }
    // Taken from the end while reading forwards.
    for (const starts of this.#starts.values()) starts.reverse()
  }

  /** Where a span that opens with so many backticks ends; undefined when nothing closes it. */
  endOf(opening: number, length: number): number | undefined {
    const starts = this.#starts.get(length) ?? []
    while ((starts.at(-1) ?? Infinity) <= opening) starts.pop()
    const closing = starts.at(-1)
    return closing === undefined ? undefined : closing + length
  }
}

/** How many backticks stand here. */
export function runAt(text: string, start: number, end: number): number {
  let at = start
  while (at < end && text[at] === '`') at += 1
  return at - start
}
