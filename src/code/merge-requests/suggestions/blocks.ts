import { MAX_LINES_AROUND, MAX_SUGGESTIONS } from './limits.ts'

/** A block of a Markdown text that suggests something. */
export interface SuggestionBlock {
  /** How many lines before that of the note it replaces. */
  readonly above: number
  /** How many after it. */
  readonly below: number
  /** What it suggests, with the end of the last line; blank for nothing. */
  readonly text: string
}

/** How a fence begins. Nothing here looks at a character twice: a text may be very long. */
const FENCE = /^( {0,3})(`{3,}|~{3,})/
const SUGGESTS = /^suggestion(?::-(\d{1,9})\+(\d{1,9}))?$/

/** A block of code: its lines, the first and the last one of which are its fences unless it is never closed. */
interface Fenced {
  readonly indent: number
  readonly marks: string
  readonly info: string
  /** The number of the line with which it opens, from 0. */
  readonly start: number
  end: number
  readonly lines: string[]
}

/** The blocks that begin with three or more backticks and `suggestion:-1+2`: the first ones, up to the limit. */
export const suggestionBlocks = (body: string): readonly SuggestionBlock[] =>
  suggestingFences(body.split(/\r?\n/)).map(blockOf)

/** A text without these blocks. */
export function withoutSuggestions(body: string): string {
  const lines = body.split(/\r?\n/)
  const fences = suggestingFences(lines)
  return lines.filter((_, at) => !fences.some(({ start, end }) => start <= at && at <= end)).join('\n')
}

/** The block that suggests these lines for themselves and some lines before the one on which the note stands. */
export function asSuggestion(code: string, above: number): string {
  const longest = (code.match(/`{3,}/g) ?? []).reduce((most, marks) => Math.max(most, marks.length), 2)
  const marks = '`'.repeat(longest + 1)
  return `${marks}suggestion:-${above}+0\n${code}${marks}`
}

function suggestingFences(lines: readonly string[]): readonly Fenced[] {
  const found: Fenced[] = []
  let open: Fenced | undefined
  for (const [at, line] of lines.entries()) {
    if (found.length === MAX_SUGGESTIONS) return found
    if (open === undefined) open = openedBy(line, at)
    else {
      open.end = at
      if (closes(line, open)) {
        if (SUGGESTS.test(open.info)) found.push(open)
        open = undefined
      } else open.lines.push(line.slice(Math.min(open.indent, line.length - line.trimStart().length)))
    }
  }
  return open !== undefined && SUGGESTS.test(open.info) ? [...found, open] : found
}

function openedBy(line: string, at: number): Fenced | undefined {
  const [fence = '', indent = '', marks] = FENCE.exec(line) ?? []
  const info = line.slice(fence.length).trim()
  // Backticks after the fence make it a code span.
  if (marks === undefined || (marks.startsWith('`') && info.includes('`'))) return undefined
  return { indent: indent.length, marks, info, start: at, end: at, lines: [] }
}

function closes(line: string, { marks }: Fenced): boolean {
  const [fence = '', , closing] = FENCE.exec(line) ?? []
  if (closing === undefined || closing[0] !== marks[0] || closing.length < marks.length) return false
  return line.slice(fence.length).trim() === ''
}

function blockOf({ info, lines }: Fenced): SuggestionBlock {
  const [, above = '0', below = '0'] = SUGGESTS.exec(info) ?? []
  const around = (count: string) => Math.min(Number(count), MAX_LINES_AROUND)
  const text = lines.length === 0 ? '' : `${lines.join('\n')}\n`
  return { above: around(above), below: around(below), text }
}
