import { append } from '#platform/sequences.ts'

/** A line of a diff with its numbers before and after. */
export interface DiffLine {
  readonly kind: 'head' | 'added' | 'removed' | 'same'
  readonly before: number | undefined
  readonly after: number | undefined
  readonly text: string
}

/** The lines of a file's diff. */
export const splitDiff = (diff: string): readonly string[] =>
  diff === '' ? [] : (diff.endsWith('\n') ? diff.slice(0, -1) : diff).split('\n')

/** The same with their numbers. */
export const linesIn = ({ diff }: { readonly diff: string }): readonly DiffLine[] => numbered(splitDiff(diff))

/** The lines of a unified diff with their numbers before and after. */
export function numbered(lines: readonly string[]): readonly DiffLine[] {
  let before = 0
  let after = 0
  return lines.map((line): DiffLine => {
    const [, first, second] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? []
    const text = line.slice(1)
    if (first !== undefined && second !== undefined) {
      before = Number(first) - 1
      after = Number(second) - 1
      return { kind: 'head', before: undefined, after: undefined, text: line }
    }
    if (line.startsWith('+')) return { kind: 'added', before: undefined, after: (after += 1), text }
    if (line.startsWith('-')) return { kind: 'removed', before: (before += 1), after: undefined, text }
    if (line.startsWith('\\')) return { kind: 'head', before: undefined, after: undefined, text: line }
    return { kind: 'same', before: (before += 1), after: (after += 1), text }
  })
}

/**
 * The same without changes of white space: a line in which nothing else changed stands there as it is now. As long as as many lines
 * were added in a place as removed; otherwise nothing tells which belong together.
 */
export function withoutSpaces(lines: readonly DiffLine[]): readonly DiffLine[] {
  const all: DiffLine[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  const flush = () => {
    append(all, removed)
    append(all, added)
    removed = []
    added = []
  }
  const compare = () => {
    const [before, after] = [removed, added]
    removed = []
    added = []
    before.forEach((old, index) => {
      const now = after[index]
      if (now !== undefined && before.length === after.length && spaceless(old) === spaceless(now)) {
        flush()
        all.push({ ...now, kind: 'same' })
        return
      }
      removed.push(old)
      if (now !== undefined) added.push(now)
    })
    append(added, after.slice(before.length))
    flush()
  }
  for (const line of lines) {
    if (line.kind === 'removed') {
      if (added.length > 0) compare()
      removed.push(line)
    } else if (line.kind === 'added') added.push(line)
    else {
      compare()
      all.push(line)
    }
  }
  compare()
  return all
}

const spaceless = ({ text }: DiffLine): string => text.replaceAll(/\s+/g, '')

/** Lines before beside those after: what was removed in one place stands beside what was added there. */
export function pairs(
  lines: readonly DiffLine[],
): readonly (readonly [DiffLine | undefined, DiffLine | undefined])[] {
  const all: (readonly [DiffLine | undefined, DiffLine | undefined])[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      all.push([removed[index], added[index]])
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'removed') removed.push(line)
    else if (line.kind === 'added') added.push(line)
    else {
      flush()
      all.push([line, line])
    }
  }
  flush()
  return all
}
