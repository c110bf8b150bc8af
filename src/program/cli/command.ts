/** An option of a command. Without `value` it is a flag. */
export interface Option {
  /** The placeholder of the value in the help, such as `<name>`. */
  readonly value?: string
  readonly about: string
  readonly required?: true
  /** May be given several times. */
  readonly many?: true
}

/** One command of `forgelet`, as data: the help and the argument parser follow from it. */
export interface Command {
  /** One word or two. */
  readonly name: string
  /** One sentence. */
  readonly about: string
  /** Further text for its own help. */
  readonly more?: string
  /** An optional word after the name; its placeholder in the help. */
  readonly argument?: string
  readonly options: Readonly<Record<string, Option>>
  /** @returns the exit code. */
  readonly run: (given: CommandOptions, terminal: Terminal) => Promise<number>
}

/** The process as commands see it, so that tests can run them without a process. */
export interface Terminal {
  readonly environment: Readonly<NodeJS.Dict<string>>
  readonly input: AsyncIterable<Buffer | string>
  /** Standard output, for scripts. */
  out(text: string): void
  /** Standard error, for people. */
  err(text: string): void
  /** Whether a person sees the streams. Anything else, such as a log, may keep what it receives. */
  readonly isTerminal: { readonly out: boolean; readonly err: boolean }
}

/** The command line asks for something unknown or impossible. One line says what is valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command line is correct, but the command cannot be run; one line says why. */
export class Refused extends Error {
  override readonly name = 'Refused'
}

/** The options of a command line, by their name without dashes, and its argument. */
export class CommandOptions {
  readonly #values: ReadonlyMap<string, readonly string[]>
  /** The word after the name of the command. */
  readonly argument: string | undefined

  constructor(values: ReadonlyMap<string, readonly string[]>, argument?: string) {
    this.#values = values
    this.argument = argument
  }

  has(name: string): boolean {
    return this.#values.has(name)
  }

  /** The last value wins, as is usual on command lines. */
  maybe(name: string): string | undefined {
    return this.#values.get(name)?.at(-1)
  }

  /** For options that the table marks as required. */
  text(name: string): string {
    const value = this.maybe(name)
    if (value === undefined) throw new UsageError(`--${name} is missing`)
    return value
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }
}
