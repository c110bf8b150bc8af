import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml'
import { ConfigurationError, type Lines } from './problems.ts'
import { Dated, plainValue } from './scalars.ts'
import { MOST_CHARACTERS, MOST_VALUES, tooBig } from './weight.ts'
import { isList, isMapping, Reference, type Mapping, type Value } from './values.ts'

/** Bytes of one file. */
export const MOST_BYTES = 2 * 1024 * 1024
const MOST_LEVELS = 100

/** A file, read. */
export interface ReadText {
  readonly content: Mapping
  readonly lines: ReadonlyMap<string, Lines>
}

/**
 * Reads a YAML text as Ruby's reader does: the last of equal keys counts, and each `<<` is merged where it stands.
 * @throws {ConfigurationError} for what is no YAML, no mapping, or too large
 */
export function readYaml(text: string, file: string): ReadText {
  if (Buffer.byteLength(text) > MOST_BYTES) {
    throw tooBig(file)
  }
  const counter = new LineCounter()
  const node = parsed(text, file, counter)
  const walk = new Walk(file, counter)
  const content = walk.value(node, 0)
  if (!isMapping(content)) throw new ConfigurationError('Invalid configuration format', { file })
  return { content, lines: walk.linesOf(node) }
}

function parsed(text: string, file: string, counter: LineCounter): Node | null {
  let documents
  try {
    documents = parseAllDocuments(text, {
      version: '1.1',
      // Scalars are read here: what Ruby makes of them differs from the schema of YAML 1.1.
      schema: 'failsafe',
      merge: false,
      uniqueKeys: false,
      strict: false,
      prettyErrors: false,
      logLevel: 'silent',
      lineCounter: counter,
    })
  } catch (error) {
    if (error instanceof RangeError) throw tooBig(file)
    throw error
  }
  const [first] = documents
  const mistake = documents.flatMap(({ errors }) => errors)[0]
  if (mistake?.message.startsWith('Maximum call stack') === true) throw tooBig(file)
  if (mistake !== undefined) {
    const { line, col } = counter.linePos(mistake.pos[0])
    throw new ConfigurationError(`(${file}): ${mistake.message} at line ${line} column ${col}`, {
      file,
      line,
    })
  }
  return first?.contents ?? null
}

interface Sized {
  readonly value: Value
  readonly values: number
  readonly characters: number
}

class Walk {
  readonly #file: string
  readonly #counter: LineCounter
  readonly #anchors = new Map<string, Sized | 'open'>()
  #values = 0
  #characters = 0

  constructor(file: string, counter: LineCounter) {
    this.#file = file
    this.#counter = counter
  }

  value(node: unknown, level: number): Value {
    if (level > MOST_LEVELS) throw tooBig(this.#file)
    if (isAlias(node)) return this.#alias(node.source, node)
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined
    if (anchor === undefined) return this.#own(node, level)
    this.#anchors.set(anchor, 'open')
    const before = { values: this.#values, characters: this.#characters }
    const value = this.#own(node, level)
    this.#anchors.set(anchor, {
      value,
      values: this.#values - before.values,
      characters: this.#characters - before.characters,
    })
    return value
  }

  #alias(name: string, node: Node): Value {
    const known = this.#anchors.get(name)
    if (known === undefined) throw this.#wrong(`Unknown alias: ${name}`, node)
    if (known === 'open') throw this.#wrong(`The alias ${name} contains itself`, node)
    this.#count(known.values, known.characters)
    return known.value
  }

  #own(node: unknown, level: number): Value {
    if (isScalar(node)) return this.#scalar(node)
    if (isMap(node)) {
      this.#count(1, 0)
      return this.#mapping(node.items, level)
    }
    if (isSeq(node)) {
      this.#count(1, 0)
      const list = node.items.map((item) => this.value(item, level + 1))
      if (node.tag !== '!reference') return list
      const path = list.flat().filter((part) => typeof part === 'string')
      if (path.length === 0 || path.length !== list.flat().length) {
        throw this.#wrong(`!reference ${JSON.stringify(path)} is not valid`, node)
      }
      return new Reference(path)
    }
    this.#count(1, 0)
    return null
  }

  #scalar(node: Node & { value: unknown; source?: string; type?: string | undefined }): Value {
    const text = typeof node.value === 'string' ? node.value : (node.source ?? '')
    this.#count(1, text.length)
    if (node.type !== 'PLAIN' || node.tag === 'tag:yaml.org,2002:str' || node.tag === '!') return text
    try {
      return plainValue(text)
    } catch (error) {
      if (error instanceof Dated) throw this.#wrong(error.message, node)
      throw error
    }
  }

  #mapping(items: readonly { key: unknown; value: unknown }[], level: number): Mapping {
    const map = new Map<string, Value>()
    for (const { key, value } of items) {
      const name = this.value(key, level + 1)
      const held = this.value(value, level + 1)
      const merged = name === '<<' && !hasTextTag(key) ? mergedOf(value, held) : undefined
      if (merged !== undefined) for (const [inner, one] of merged) map.set(inner, one)
      else if (name instanceof Reference || isList(name) || isMapping(name)) {
        throw new ConfigurationError('Invalid configuration format', { file: this.#file })
      } else map.set(String(name ?? ''), held)
    }
    return map
  }

  #count(values: number, characters: number): void {
    this.#values += values
    this.#characters += characters
    if (this.#values > MOST_VALUES || this.#characters > MOST_CHARACTERS) throw tooBig(this.#file)
  }

  #wrong(text: string, node: Node): ConfigurationError {
    const { line, col } = this.#counter.linePos(node.range?.[0] ?? 0)
    return new ConfigurationError(`(${this.#file}): ${text} at line ${line} column ${col}`, {
      file: this.#file,
      line,
    })
  }

  linesOf(node: Node | null): Map<string, Lines> {
    const all = new Map<string, Lines>()
    for (const [key, line, value] of this.#keys(node)) {
      const keys = new Map(this.#keys(value).map(([inner, at]) => [inner, at]))
      all.set(key, { file: this.#file, line, keys })
    }
    return all
  }

  #keys(node: unknown): [string, number, unknown][] {
    if (!isMap(node)) return []
    return node.items.flatMap(({ key, value }): [string, number, unknown][] =>
      isScalar(key) && key.range
        ? [[String(key.value), this.#counter.linePos(key.range[0]).line, value]]
        : [],
    )
  }
}

const hasTextTag = (key: unknown): boolean => isScalar(key) && key.tag === 'tag:yaml.org,2002:str'

/** What `<<` brings: of a list, the first mapping wins. Undefined if it is a key as any other. */
function mergedOf(node: unknown, value: Value): Mapping | undefined {
  if (isMapping(value)) return value
  if (!isSeq(node) || !isList(value) || !value.every(isMapping)) return undefined
  return new Map(
    value
      .filter(isMapping)
      .toReversed()
      .flatMap((one) => [...one]),
  )
}
