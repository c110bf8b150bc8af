/** What is wrong with a configuration, and where, if that is known. */
export interface Problem {
  readonly text: string
  readonly file?: string
  readonly line?: number
}

/** Ends the reading: what follows would make no sense. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
  readonly file: string | undefined
  readonly line: number | undefined

  constructor(text: string, where: { file?: string | undefined; line?: number | undefined } = {}) {
    super(text)
    this.file = where.file
    this.line = where.line
  }
}

/** Lines of the keys of a file, and of the keys of the mappings below them. */
export interface Lines {
  readonly file: string
  readonly line: number
  readonly keys: ReadonlyMap<string, number>
}

/** Errors and warnings of a reading, with the places of jobs and their keywords. */
export class Problems {
  readonly errors: Problem[] = []
  readonly warnings: Problem[] = []
  readonly #lines = new Map<string, Lines>()

  /** Says where a key of the top level stands. What a later file says replaces what was known. */
  know(key: string, lines: Lines): void {
    const before = this.#lines.get(key)
    this.#lines.set(key, before ? { ...lines, keys: new Map([...before.keys, ...lines.keys]) } : lines)
  }

  error(text: string, key?: string, keyword?: string): void {
    if (this.errors.length < MOST) this.errors.push({ text, ...this.where(key, keyword) })
  }

  warn(text: string, key?: string, keyword?: string): void {
    if (this.warnings.length < MOST) this.warnings.push({ text, ...this.where(key, keyword) })
  }

  where(key?: string, keyword?: string): { file?: string; line?: number } {
    const known = key === undefined ? undefined : this.#lines.get(key)
    if (known === undefined) return {}
    const line = (keyword === undefined ? undefined : known.keys.get(keyword)) ?? known.line
    return { file: known.file, line }
  }

  /** Keeps what ended the reading. */
  stop(error: ConfigurationError): void {
    const { file, line } = error
    this.errors.push({
      text: error.message,
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line }),
    })
  }
}

/** Problems that are told. A file of a thousand jobs may have the same mistake in each. */
const MOST = 100
