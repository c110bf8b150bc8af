import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Finds the place in the sources for one in a file of the bundle. */
export type Places = (line: number, column: number) => string | undefined

/**
 * Makes stack traces name the sources of the bundle in a folder. Node.js could do so, but reads all source maps at the
 * start and keeps 100 MB of them after the first error; this reads a map with the first error of its file, in 30 ms.
 */
export function nameSources(folder: string): void {
  const files = new Map<string, Places | undefined>()
  const placesOf = (file: string): Places | undefined => {
    if (!files.has(file)) files.set(file, readPlaces(`${file}.map`))
    return files.get(file)
  }
  const describe = (site: NodeJS.CallSite): string => {
    // oxlint-disable-next-line typescript/no-base-to-string -- it describes itself, which its type does not say
    const text = site.toString()
    const name = site.getFileName() ?? ''
    const [line, column] = [site.getLineNumber(), site.getColumnNumber()]
    if (!name.startsWith('file:') || line === null || column === null) return text
    const file = fileURLToPath(name)
    const place = dirname(file) === folder ? placesOf(file)?.(line, column) : undefined
    return place === undefined ? text : text.replace(`${name}:${line}:${column}`, place)
  }
  Error.prepareStackTrace = (error, sites) =>
    [String(error), ...sites.map((site) => `    at ${describe(site)}`)].join('\n')
}

function readPlaces(file: string): Places | undefined {
  if (!existsSync(file)) return undefined
  const { mappings, sources } = readMap(file)
  const lines = indexOf(mappings)
  return (line, column) => {
    const found = segmentAt(mappings, lines, line - 1, column - 1)
    const source = sources[found?.source ?? -1]
    if (found === undefined || source === undefined) return undefined
    return `${join(dirname(file), source)}:${found.line + 1}:${found.column + 1}`
  }
}

function readMap(file: string): { readonly mappings: string; readonly sources: readonly string[] } {
  const map: { mappings: string; sources: string[] } = JSON.parse(readFileSync(file, 'utf8'))
  return map
}

/** What numbers in a source map are counted from: each is the difference to the one before. */
interface Position {
  source: number
  line: number
  column: number
}

/** For each line of the bundle, where its mappings begin, and the position that its first number is counted from. */
interface Lines {
  readonly starts: Int32Array
  readonly positions: Int32Array
}

const SEMICOLON = 59
const COMMA = 44

function indexOf(mappings: string): Lines {
  let count = 1
  for (let at = mappings.indexOf(';'); at !== -1; at = mappings.indexOf(';', at + 1)) count += 1
  const starts = new Int32Array(count)
  const positions = new Int32Array(count * 3)
  let line = 0
  const reader = new Reader(mappings, 0, { source: 0, line: 0, column: 0 })
  while (reader.next()) {
    if (!reader.isEndOfLine) continue
    line += 1
    starts[line] = reader.at
    const { position } = reader
    positions.set([position.source, position.line, position.column], line * 3)
  }
  return { starts, positions }
}

/** The last mapping at or before a column. */
function segmentAt(mappings: string, lines: Lines, line: number, column: number): Position | undefined {
  const start = lines.starts[line]
  if (start === undefined) return undefined
  const [source = 0, sourceLine = 0, sourceColumn = 0] = lines.positions.subarray(line * 3, line * 3 + 3)
  const reader = new Reader(mappings, start, { source, line: sourceLine, column: sourceColumn })
  let found: Position | undefined
  while (reader.next() && !reader.isEndOfLine && reader.column <= column) found = { ...reader.position }
  return found
}

/** Reads the mappings one by one: numbers in base 64, five bits a character, the lowest bit of a number is its sign. */
class Reader {
  readonly #text: string
  /** Where the next mapping begins. */
  at: number
  /** The column in the bundle. */
  column = 0
  /** The place in the sources. */
  readonly position: Position
  /** Whether a line of the bundle has ended instead. */
  isEndOfLine = false

  constructor(text: string, at: number, position: Position) {
    this.#text = text
    this.at = at
    this.position = position
  }

  /** @returns false at the end. */
  next(): boolean {
    if (this.at >= this.#text.length) return false
    this.isEndOfLine = this.#text.charCodeAt(this.at) === SEMICOLON
    if (this.isEndOfLine) {
      this.at += 1
      this.column = 0
      return true
    }
    if (this.#text.charCodeAt(this.at) === COMMA) this.at += 1
    this.column += this.#number()
    if (this.#isNumber()) {
      this.position.source += this.#number()
      this.position.line += this.#number()
      this.position.column += this.#number()
      if (this.#isNumber()) this.#number() // of a name
    }
    return true
  }

  #isNumber(): boolean {
    const code = this.#text.charCodeAt(this.at)
    return code !== COMMA && code !== SEMICOLON && !Number.isNaN(code)
  }

  #number(): number {
    let value = 0
    for (let shift = 0; ; shift += 5) {
      const digit = DIGITS[this.#text.charCodeAt(this.at)] ?? 0
      this.at += 1
      value |= (digit & 31) << shift
      if ((digit & 32) === 0) return (value & 1) === 1 ? -(value >> 1) : value >> 1
    }
  }
}

const DIGITS = new Int8Array(128)
Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/').forEach((code, digit) => {
  DIGITS[code] = digit
})
