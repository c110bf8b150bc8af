import { type Block, blocksOf, CodeSpans, runAt, type Span } from '#planning/references/prose.ts'
import { quickActions } from './later-actions.ts'
import { type ActionTable, namesOf } from './quick-action.ts'

/** A line with a command: `/label ~bug`. */
export interface Command {
  /** The action's own name, even if the line has an alias. */
  readonly name: string
  /** The rest of the line, trimmed. */
  readonly args: string
}

export interface ParsedBody {
  readonly commands: readonly Command[]
  /** The body without them; all of it when there are none. */
  readonly text: string
}

const COMMAND = /^\/([a-z_]+)(?:\s(.*))?$/is
/** An HTML element that continues after its line. */
const OPENING = /^ {0,3}<([a-z][a-z0-9-]*)(?=[\s/>]|$)/i
/** The line that begins and ends a quote of several paragraphs. */
const QUOTE = '>>>'
const CLOSING = /^>>>[ \t\r]*$|<\/([a-z][a-z0-9-]*)/gim

/**
 * Takes the commands out of a Markdown text: lines of their own that begin with `/` and the name of an action. It skips
 * code, comments, HTML elements and `>>>` quotes; unknown names stay text. Its time is proportional to the length of
 * any text.
 */
export function parseQuickActions(body: string, actions: ActionTable = quickActions): ParsedBody {
  const reader = new Reader(body, namesOf(actions))
  for (const block of blocksOf(body)) reader.read(block)
  const { commands, lines } = reader
  return { commands, text: lines.length === 0 ? body : textWithout(lines, body) }
}

/** Reads block by block, because HTML elements and quotes span paragraphs. */
class Reader {
  readonly commands: Command[] = []
  /** The positions of the commands' lines, with their line ends. */
  readonly lines: Span[] = []
  readonly #body: string
  readonly #names: ReadonlyMap<string, string>
  readonly #lastClosings: ReadonlyMap<string, number>
  /** The open construct: `>>>` or the name of an element. */
  #inside: string | undefined

  constructor(body: string, names: ReadonlyMap<string, string>) {
    this.#body = body
    this.#names = names
    this.#lastClosings = lastClosingsIn(body)
  }

  read({ kind, start, end }: Block): void {
    if (kind === 'blank') for (const line of linesOf(this.#body, start, end)) this.#readBlank(line)
    if (kind === 'paragraph') this.#readParagraph({ start, end })
  }

  #readBlank({ start, end }: Span): void {
    if (this.#body.slice(start, end).trimEnd() !== QUOTE) return
    if (this.#inside === QUOTE) this.#inside = undefined
    else this.#open(QUOTE, start)
  }

  #readParagraph(paragraph: Span): void {
    const spans = new CodeSpans(this.#body, paragraph)
    let codeUntil = 0
    for (const line of linesOf(this.#body, paragraph.start, paragraph.end)) {
      if (this.#inside !== undefined) this.#close(line)
      else if (line.start < codeUntil || !this.#takeCommand(line)) {
        if (line.start >= codeUntil) this.#openElement(line)
        codeUntil = this.#endOfCode(spans, line, Math.max(line.start, codeUntil), paragraph.end)
      }
    }
  }

  #takeCommand({ start, end }: Span): boolean {
    // Text after a comment does not start a line.
    if (this.#body[start] !== '/' || (start > 0 && this.#body[start - 1] !== '\n')) return false
    const [, written = '', args = ''] = COMMAND.exec(this.#body.slice(start, end)) ?? []
    const name = this.#names.get(written.toLowerCase())
    if (name === undefined) return false
    this.commands.push({ name, args: args.trim() })
    this.lines.push({ start, end: Math.min(end + 1, this.#body.length) })
    return true
  }

  #openElement({ start, end }: Span): void {
    const line = this.#body.slice(start, end)
    const tag = OPENING.exec(line)?.[1]?.toLowerCase()
    if (tag !== undefined && !holdsClosing(line, tag)) this.#open(tag, start)
  }

  /** Opens a construct, unless nothing closes it. */
  #open(what: string, start: number): void {
    if (this.#inside === undefined && (this.#lastClosings.get(what) ?? 0) > start) this.#inside = what
  }

  #close({ start, end }: Span): void {
    const open = this.#inside ?? QUOTE
    if (open !== QUOTE && holdsClosing(this.#body.slice(start, end), open)) this.#inside = undefined
  }

  /** The end of the last code span that begins in the rest of a line; it may be on another line. */
  #endOfCode(spans: CodeSpans, line: Span, from: number, end: number): number {
    let at = from
    while (at < line.end) {
      const character = this.#body[at]
      if (character === '`') {
        const length = runAt(this.#body, at, end)
        at = spans.endOf(at, length) ?? at + length
      } else at += character === '\\' ? 2 : 1
    }
    return at
  }
}

const holdsClosing = (line: string, tag: string) => line.toLowerCase().includes(`</${tag}`)

/** The last closing of each element and of a quote. */
function lastClosingsIn(body: string): ReadonlyMap<string, number> {
  const last = new Map<string, number>()
  for (const { 1: tag = QUOTE, index } of body.matchAll(CLOSING)) last.set(tag.toLowerCase(), index)
  return last
}

function* linesOf(body: string, start: number, end: number): Generator<Span> {
  for (let at = start; at < end;) {
    const found = body.indexOf('\n', at)
    const stop = found < 0 ? end : Math.min(found, end)
    yield { start: at, end: stop }
    at = stop + 1
  }
}

const BLANK_LINES = /(?:[ \t]*\r?\n)*/y

/** The rest, with no more blank lines around removed ones than there were before. */
function textWithout(lines: readonly Span[], body: string): string {
  const kept: string[] = []
  let at = 0
  let afterBlank = true
  for (const { start, end } of lines) {
    const piece = body.slice(at, start)
    if (piece !== '') afterBlank = endsBlank(piece)
    kept.push(piece)
    BLANK_LINES.lastIndex = end
    at = end + (afterBlank ? (BLANK_LINES.exec(body)?.[0].length ?? 0) : 0)
  }
  kept.push(body.slice(at))
  return kept
    .join('')
    .replace(/^(?:[ \t]*\r?\n)+/, '')
    .trimEnd()
}

/** Whether the last of these lines is blank. */
function endsBlank(lines: string): boolean {
  const words = lines.trimEnd()
  return words === '' || lines.indexOf('\n', lines.indexOf('\n', words.length) + 1) > 0
}
