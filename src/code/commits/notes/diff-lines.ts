/** A line of a diff: as it was numbered before and is numbered afterwards. */
export interface DiffLine {
  /** Null for a line that was added. */
  readonly old: number | null
  /** Null for a line that was removed. */
  readonly new: number | null
}

/** The lines that a patch shows, from its first `@@` on. */
export function* linesOf(patch: string): Generator<DiffLine> {
  let [before, after] = [0, 0]
  for (const text of patch.split('\n')) {
    const [, first, second] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text) ?? []
    if (first !== undefined && second !== undefined) {
      before = Number(first)
      after = Number(second)
    } else if (text.startsWith('+')) yield { old: null, new: after++ }
    else if (text.startsWith('-')) yield { old: before++, new: null }
    else if (text.startsWith(' ')) yield { old: before++, new: after++ }
  }
}

/** The number that a line has after a patch. Null when the patch removes it. */
export function lineAfter(patch: string, line: number): number | null {
  let further = 0
  for (const shown of linesOf(patch)) {
    if (shown.old === line) return shown.new
    if (shown.old !== null && shown.old > line) break
    if (shown.old === null) further += 1
    else if (shown.new === null) further -= 1
  }
  return line + further
}
