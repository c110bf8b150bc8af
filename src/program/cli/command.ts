/** What may follow a command. Without `value` it is a switch. */
export interface Option {
  /** Stands for the value in the help, such as `<name>`. */
  readonly value?: string
  readonly about: string
  readonly required?: true
  /** May be given several times. */
  readonly many?: true
}

/** One thing that `forgelet` does, as data: the help and the reading of arguments follow from it. */
export interface Command {
  /** One word or two. */
  readonly name: string
  /** One sentence. */
  readonly about: string
  /** What else its own help should say. */
  readonly more?: string
  /** One word after the name, which may be left out; stands for it in the help. */
  readonly argument?: string
  readonly options: Readonly<Record<string, Option>>
  /** @returns the exit code. */
  readonly run: (given: Given, terminal: Terminal) => Promise<number>
}

/** The process as commands see it, so that they can be tried without one. */
export interface Terminal {
  readonly environment: Readonly<NodeJS.Dict<string>>
  readonly input: AsyncIterable<Buffer | string>
  /** Standard output: what scripts read. */
  out(text: string): void
  /** Standard error: what people read. */
  err(text: string): void
  /** Whether a person is looking at them: anything else may keep what it gets, such as a log. */
  readonly isTerminal: { readonly out: boolean; readonly err: boolean }
}

/** The command line asks for something that does not exist or cannot be; one line says what does. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command line is right, yet it cannot be done; one line says why. */
export class Refused extends Error {
  override readonly name = 'Refused'
}

/** The options that were given, by their name without dashes. */
export class Given {
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

  /** The last value wins, as everywhere on command lines. */
  maybe(name: string): string | undefined {
    return this.#values.get(name)?.at(-1)
  }

  /** For options that the table says are required. */
  text(name: string): string {
    const value = this.maybe(name)
    if (value === undefined) throw new UsageError(`--${name} is missing`)
    return value
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }
}
