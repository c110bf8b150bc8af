import { type Html, html, type Part } from '#platform/http/html.ts'
import { type Look, piecesOf, plain } from '../islands/ansi.ts'
import { durationInWords } from '../parts/words.ts'

/** Sections within sections that are folded; those further within are lines. */
const DEEPEST = 10
const MARK = /section_(start|end):(\d{1,12}):([\w.-]{1,255})(?:\[([^\]\n]{0,255})\])?\r?/g
/** What runners may put before a line: when it was written, to which stream, and whether it goes on the line before. */
const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z [0-9a-f]{2}[OE](\+| |$)/
// In a template, the formatter would take it for a place to break.
const LINE_END = '\n'

interface Section {
  readonly name: string
  readonly started: number
  readonly isFolded: boolean
  readonly title: Part
  readonly parts: Part[]
}

/** The text of a log with its colors, and its sections folded. All of it may be hostile. */
export function shownLog(text: string): Html {
  const look = plain()
  const all: Part[] = []
  const open: Section[] = []
  const inner = () => open.at(-1)?.parts ?? all
  const close = (at: number | undefined) => {
    const section = open.pop()
    if (section !== undefined) inner().push(folded(section, at))
  }
  for (const line of linesOf(text)) {
    if (line === '') {
      inner().push(LINE_END)
      continue
    }
    let from = 0
    let isShown = false
    let title: { readonly mark: RegExpExecArray; readonly from: number } | undefined
    const upTo = (end: number) => {
      const words = shownLine(line.slice(from, end), look)
      if (title !== undefined && open.length < DEEPEST) open.push(begun(title.mark, words))
      else if (words.length > 0) {
        inner().push(words)
        isShown = true
      }
      title = undefined
    }
    for (const mark of line.matchAll(MARK)) {
      upTo(mark.index)
      from = mark.index + mark[0].length
      const [, kind, moment, name] = mark
      if (kind === 'start') title = { mark, from }
      else if (open.some((section) => section.name === name)) {
        while (open.at(-1)?.name !== name) close(undefined)
        close(Number(moment))
      }
    }
    const before = open.length
    upTo(line.length)
    if (from === 0 || (isShown && open.length === before)) inner().push(LINE_END)
  }
  // Of a log that goes on, or that ended in the middle.
  while (open.length > 0) close(undefined)
  return html`${all}`
}

function linesOf(text: string): string[] {
  const lines: string[] = []
  for (const line of (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')) {
    const stamp = STAMP.exec(line)
    const words = stamp === null ? line : line.slice(stamp[0].length)
    if (stamp?.[1] === '+' && lines.length > 0) lines[lines.length - 1] += words
    else lines.push(words)
  }
  return lines
}

const begun = (
  [, , moment = '0', name = '', options = '']: RegExpExecArray,
  words: readonly Part[],
): Section => ({
  name,
  started: Number(moment),
  isFolded: /\bcollapsed=true\b/.test(options),
  title: words.length > 0 ? words : name.replaceAll('_', ' '),
  parts: [],
})

const folded = ({ title, started, isFolded, parts }: Section, ended: number | undefined): Html =>
  html`<details ${!isFolded && html`open`}>
    <summary>
      ${title}${ended !== undefined && ended >= started && html` <span class="took">${durationInWords(ended - started)}</span>`}
    </summary>
    <div class="lines">${parts}</div>
  </details>`

const shownLine = (line: string, look: Look): readonly Part[] =>
  piecesOf(line, look).map(({ text, look: classes }) =>
    classes === '' ? text : html`<span class="${classes}">${text}</span>`,
  )
