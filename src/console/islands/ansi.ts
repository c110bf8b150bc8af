// Also runs in browsers: it imports nothing.

/** A piece of a log in one look, as classes of the stylesheet: `f1` is red, `b2` on green. */
export interface Piece {
  text: string
  readonly look: string
}

/** How what follows looks, as escape sequences have set it so far. */
export interface Look {
  fore: number | undefined
  back: number | undefined
  readonly styles: Set<string>
}

export const plain = (): Look => ({ fore: undefined, back: undefined, styles: new Set() })

// oxlint-disable-next-line no-control-regex
const SEQUENCE = /\x1b(?:\[([0-?]*)[ -/]*([@-~])|\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)|[@-Z\\-_])/g
/** Characters that print nothing, and those that change the direction of what follows. */
// oxlint-disable-next-line no-control-regex
const UNPRINTED = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

const styles: Readonly<Record<number, string>> = { 1: 'bold', 2: 'faint', 3: 'italic', 4: 'underline' }
const ends: Readonly<Record<number, readonly string[]>> = {
  22: ['bold', 'faint'],
  23: ['italic'],
  24: ['underline'],
}

/**
 * The pieces of a line. What programs overwrote by returning to its beginning is left out.
 * @param look is changed as the line changes it: looks go on in the next line
 */
export function piecesOf(line: string, look: Look): Piece[] {
  let end = line.length
  while (end > 0 && line[end - 1] === '\r') end -= 1
  const last = line.lastIndexOf('\r', end - 1)
  const overwritten = end > 0 && last >= 0 ? line.slice(0, last) : ''
  for (const [, given, kind] of overwritten.matchAll(SEQUENCE)) set(look, given, kind)
  const shown = end > 0 ? line.slice(last + 1, end) : ''
  const pieces: Piece[] = []
  let at = 0
  const add = (text: string) => {
    const printed = text.replace(UNPRINTED, '')
    if (printed === '') return
    const classes = classesOf(look)
    const before = pieces.at(-1)
    if (before?.look === classes) before.text += printed
    else pieces.push({ text: printed, look: classes })
  }
  for (const found of shown.matchAll(SEQUENCE)) {
    add(shown.slice(at, found.index))
    at = found.index + found[0].length
    set(look, found[1], found[2])
  }
  add(shown.slice(at))
  return pieces
}

function classesOf({ fore, back, styles }: Look): string {
  const names = [...styles]
  if (fore !== undefined) names.push(`f${fore}`)
  if (back !== undefined) names.push(`b${back}`)
  return names.join(' ')
}

/** Sequences of other kinds move the cursor or erase: a log has no place for them. */
function set(look: Look, given: string | undefined, kind: string | undefined): void {
  if (kind !== 'm') return
  const codes = (given ?? '').split(/[;:]/).map(Number)
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0
    if (code === 38 || code === 48) {
      const { color, used } = extended(codes.slice(at + 1, at + 5))
      if (code === 38) look.fore = color
      else look.back = color
      at += used
    } else setOne(look, code)
  }
}

function setOne(look: Look, code: number): void {
  const style = styles[code]
  if (style !== undefined) look.styles.add(style)
  for (const name of ends[code] ?? []) look.styles.delete(name)
  if (code === 0) Object.assign(look, { fore: undefined, back: undefined }).styles.clear()
  else if (code >= 30 && code <= 37) look.fore = code - 30
  else if (code === 39) look.fore = undefined
  else if (code >= 40 && code <= 47) look.back = code - 40
  else if (code === 49) look.back = undefined
  else if (code >= 90 && code <= 97) look.fore = code - 82
  else if (code >= 100 && code <= 107) look.back = code - 92
}

/** One of 256 colors, or one by its parts: the nearest of the sixteen. */
function extended([kind, ...more]: readonly number[]): { color: number | undefined; used: number } {
  if (kind === 2) return { color: nearest(more.slice(0, 3)), used: 4 }
  const [index = 0] = more
  if (kind !== 5) return { color: undefined, used: 0 }
  if (index < 16) return { color: index, used: 2 }
  if (index >= 232)
    return { color: nearest(Array.from({ length: 3 }, () => (index - 232) * 10 + 8)), used: 2 }
  const cube = index - 16
  const parts = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6]
  return { color: nearest(parts.map((part) => part * 51)), used: 2 }
}

function nearest(parts: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = parts
  const high = Math.max(red, green, blue)
  if (high < 64) return 0
  const on = (part: number, bit: number) => (part > high / 2 ? bit : 0)
  return on(red, 1) + on(green, 2) + on(blue, 4) + (high > 192 ? 8 : 0)
}
