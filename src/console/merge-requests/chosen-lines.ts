import { type Static, Type } from 'typebox'
import type { DiffEntity } from '#code/commits/diff-entity.ts'
import { asSuggestion } from '#code/merge-requests/suggestions/blocks.ts'
import { integer, text } from '#platform/http/schema.ts'
import { type DiffLine, linesIn } from '../repository/diff-lines.ts'
import { keyOf, lineKey } from '../repository/line-keys.ts'

type Diff = Static<typeof DiffEntity>

const line = Type.Optional(integer({ minimum: 1 }))

/** The line on which the visitor of a page is about to comment, or the lines for which they are about to suggest others. */
export const ChosenQuery = {
  on: Type.Optional(text({ max: 64 })),
  suggest: Type.Optional(text({ max: 4_096 })),
  from: line,
  to: line,
}
export type Chosen = Partial<Record<'from' | 'to', number>> & {
  readonly on?: string
  readonly suggest?: string
}

/** Where the form for a comment stands, and what it holds. */
export interface ChosenLine {
  readonly file: string
  readonly line: DiffLine
  /** Where it stands on the page. */
  readonly key: string
  /** What is suggested for the lines from this one on; undefined for a comment. */
  readonly suggestion: { readonly from: number; readonly note: string } | undefined
}

/** What somebody chose; undefined where nobody chose any line, and where it is not shown. */
export function chosenLine(
  diffs: readonly Diff[],
  { on, suggest: path, from, to = from }: Chosen,
): ChosenLine | undefined {
  if (on !== undefined) return lineNamed(diffs, on)
  const diff = diffs.find(({ new_path }) => new_path === path)
  if (diff === undefined || from === undefined || to === undefined) return undefined
  const code = linesAfter(diff, from, to)
  const last = linesIn(diff).find(({ after }) => after === to)
  return code && last && chosen(diff, last, { from, note: asSuggestion(code.join(''), to - from) })
}

function lineNamed(diffs: readonly Diff[], key: string): ChosenLine | undefined {
  const diff = diffs.find((one) => key.startsWith(keyOf(one)))
  const line = diff && linesIn(diff).find((one) => one.kind !== 'head' && lineKey(keyOf(diff), one) === key)
  return diff && line && chosen(diff, line)
}

const chosen = (diff: Diff, line: DiffLine, suggestion?: ChosenLine['suggestion']): ChosenLine => ({
  file: diff.new_path,
  line,
  key: lineKey(keyOf(diff), line),
  suggestion,
})

/** Lines of a file as they are afterwards; undefined where the diff does not show all of them. */
export function linesAfter(diff: Diff, from: number, to: number): readonly string[] | undefined {
  const wanted = linesIn(diff).filter(({ after = 0 }) => from <= after && after <= to)
  return wanted.length > 0 && wanted.length === to - from + 1
    ? wanted.map((one) => `${one.text}\n`)
    : undefined
}
