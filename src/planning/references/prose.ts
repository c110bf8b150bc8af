/** A stretch of text, from its first character to just after its last. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A stretch of lines of one kind. What follows a comment on its line is a stretch of its own. */
export interface Block extends Span {
  readonly kind: 'paragraph' | 'blank' | 'code' | 'comment'
}

const FENCE = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})/
const INDENTED = /^(?: {4}|\t| {1,3}\t)/
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/
const BLANK = /^[\s>]*$/
const COMMENT = /^ {0,3}<!--/

/**
 * The paragraphs of a Markdown text: everything but fenced or indented code, and comments that begin a line. Lines that
 * belong together stay together, because code spans cross line ends but not blank lines.
 */
export function* paragraphsOf(text: string): Generator<Span> {
  for (const block of blocksOf(text)) if (block.kind === 'paragraph') yield block
}

/** Splits a Markdown text into blocks, without the line ends between them. One pass. */
export function* blocksOf(text: string): Generator<Block> {
  let block: { kind: Block['kind']; start: number; end: number } | undefined
  for (const line of linesOf(text)) {
    if (block?.kind === line.kind) block.end = line.end
    else {
      if (block) yield block
      block = { ...line }
    }
  }
  if (block) yield block
}

/** Reads line by line, except that a comment is one block, wherever in a line it ends. */
function* linesOf(text: string): Generator<Block> {
  let fence: string | undefined
  let mayIndent = true
  let inList = false
  let end = -1
  for (let start = 0; start < text.length;) {
    if (start > end) end = endOfLine(text, start)
    const line = text.slice(start, end)
    const opening: string | undefined = FENCE.exec(line)?.[1]
    const blank = BLANK.test(line)
    const indented: boolean = mayIndent && !inList && INDENTED.test(line)
    if (fence !== undefined) {
      yield { kind: 'code', start, end }
      if (closes(line, opening, fence)) fence = undefined
      mayIndent = fence === undefined
    } else if (blank) {
      yield { kind: 'blank', start, end }
      mayIndent = true
    } else if (indented) {
      yield { kind: 'code', start, end }
    } else if (COMMENT.test(line)) {
      const closed = endOfComment(text, start)
      yield { kind: 'comment', start, end: closed }
      mayIndent = text[closed] === '\n'
      start = mayIndent ? closed + 1 : closed
      continue
    } else if (opens(line, opening)) {
      yield { kind: 'code', start, end }
      fence = opening
    } else {
      yield { kind: 'paragraph', start, end }
      if (LIST_ITEM.test(line)) inList = true
      else if (mayIndent && !/^\s/.test(line)) inList = false
      mayIndent = false
    }
    start = end + 1
  }
}

function endOfLine(text: string, start: number): number {
  const found = text.indexOf('\n', start)
  return found < 0 ? text.length : found
}

/** An unclosed comment continues to the end. */
function endOfComment(text: string, start: number): number {
  const found = text.indexOf('-->', start)
  return found < 0 ? text.length : found + 3
}

/** Whether a line opens a fence: backticks after the opening ones make it a code span of one line. */
function opens(line: string, opening: string | undefined): boolean {
  if (opening === undefined) return false
  return opening.startsWith('~') || !line.slice(line.indexOf(opening) + opening.length).includes('`')
}

function closes(line: string, closing: string | undefined, fence: string): boolean {
  if (closing === undefined || closing[0] !== fence[0] || closing.length < fence.length) return false
  return line.slice(line.indexOf(closing) + closing.length).trim() === ''
}

/** Finds the ends of a paragraph's code spans, in one pass however many backticks there are. */
export class CodeSpans {
  readonly #starts = new Map<number, number[]>()

  constructor(text: string, { start, end }: Span) {
    // Searching the whole text for the next one would take its length for each paragraph.
    const paragraph = text.slice(start, end)
    for (let at = paragraph.indexOf('`'); at >= 0;) {
      const length = runAt(paragraph, at, paragraph.length)
      const known = this.#starts.get(length)
      if (known) known.push(start + at)
      else this.#starts.set(length, [start + at])
      at = paragraph.indexOf('`', at + length)
    }
    // Reading forwards takes them from the end.
    for (const starts of this.#starts.values()) starts.reverse()
  }

  /** The end of a span that opens with this many backticks; undefined when nothing closes it. */
  endOf(opening: number, length: number): number | undefined {
    const starts = this.#starts.get(length) ?? []
    while ((starts.at(-1) ?? Infinity) <= opening) starts.pop()
    const closing = starts.at(-1)
    return closing === undefined ? undefined : closing + length
  }
}

/** The number of backticks at this position. */
export function runAt(text: string, start: number, end: number): number {
  let at = start
  while (at < end && text[at] === '`') at += 1
  return at - start
}
