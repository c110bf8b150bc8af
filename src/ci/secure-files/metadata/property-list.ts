import type { Json } from '../../config/values.ts'

/** Values in one list, and values in each other. */
const MOST_VALUES = 10_000
const MOST_LEVELS = 20

/** A list or a dictionary whose end has not come. */
type Open =
  | { readonly kind: 'array'; readonly items: Json[] }
  | { readonly kind: 'dict'; readonly entries: Map<string, Json>; key?: string }

/**
 * Reads an Apple property list in XML. Dates are texts, and bytes are texts in base64.
 * @returns undefined for what is none, and for what is too large
 */
export async function readPropertyList(xml: string): Promise<Json | undefined> {
  // Few servers ever need it.
  const { default: sax } = await import('sax')
  const parser = sax.parser(true, { trim: true })
  const list = new PropertyList()
  const found: { isWrong?: true } = {}
  // This parser has no listeners but these.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  parser.onerror = () => {
    found.isWrong = true
    parser.resume()
  }
  parser.onopentag = ({ name }) => list.open(name)
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  parser.ontext = (text) => list.write(text)
  parser.oncdata = (text) => list.write(text)
  parser.onclosetag = (name) => list.close(name)
  parser.write(xml).close()
  return found.isWrong ? undefined : list.value
}

class PropertyList {
  readonly #open: Open[] = []
  #text = ''
  #count = 0
  #root: Json | undefined

  /** The whole value; undefined where there is none, or too much of it. */
  get value(): Json | undefined {
    return this.#isTooLarge ? undefined : this.#root
  }

  get #isTooLarge(): boolean {
    return this.#count > MOST_VALUES || this.#open.length > MOST_LEVELS
  }

  open(name: string): void {
    this.#text = ''
    if (this.#isTooLarge) return
    if (name === 'dict') this.#open.push({ kind: 'dict', entries: new Map() })
    else if (name === 'array') this.#open.push({ kind: 'array', items: [] })
  }

  write(text: string): void {
    this.#text += text
  }

  close(name: string): void {
    if (this.#isTooLarge || name === 'plist') return
    const top = this.#open.at(-1)
    if (name === 'key') {
      if (top?.kind === 'dict') top.key = this.#text
    } else if (name === 'dict' || name === 'array') {
      this.#open.pop()
      if (top !== undefined) this.#add(top.kind === 'array' ? top.items : Object.fromEntries(top.entries))
    } else this.#add(scalar(name, this.#text))
    this.#text = ''
  }

  #add(value: Json): void {
    this.#count += 1
    const top = this.#open.at(-1)
    if (top === undefined) this.#root ??= value
    else if (top.kind === 'array') top.items.push(value)
    else if (top.key !== undefined) top.entries.set(top.key, value)
  }
}

function scalar(name: string, text: string): Json {
  if (name === 'true' || name === 'false') return name === 'true'
  if (name === 'data') return text.replace(/\s+/g, '')
  if (name !== 'integer' && name !== 'real') return text
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}
