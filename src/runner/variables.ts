import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Variable } from './job.ts'

/** What programs of a job may see of the environment that the runner has. */
const INHERITED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ'] as const

/** A name that a shell takes, and that is no path. */
const NAME = /^[A-Za-z_]\w{0,254}$/
const REFERENCE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g

/** A text with what its references stand for. */
const replaced = (text: string, valueOf: (name: string) => string | undefined): string =>
  text.replace(
    REFERENCE,
    (_, plain: string | undefined, braced: string | undefined) => valueOf(plain ?? braced ?? '') ?? '',
  )

/** What the variables of a job are made of besides themselves. */
export interface Surroundings {
  /** What only the runner knows, such as the folder of the project. */
  readonly own: Readonly<Record<string, string>>
  /** Where the files of variables will be. */
  readonly folder: string
  /** The environment of the runner. */
  readonly environment: Readonly<NodeJS.Dict<string>>
}

/** The variables of a job, with those that only its runner knows. */
export class JobVariables {
  readonly #values = new Map<string, string>()
  readonly #files = new Map<string, string>()
  readonly #folder: string

  constructor(variables: readonly Variable[], { own, folder, environment }: Surroundings) {
    this.#folder = folder
    for (const name of INHERITED) {
      const value = environment[name]
      if (value !== undefined) this.#values.set(name, value)
    }
    const inherited = new Map(this.#values)
    const given = variables.filter(({ key, value }) => NAME.test(key) && !(value ?? '').includes('\0'))
    for (const { key, value } of given) this.#values.set(key, value ?? '')
    for (const [key, value] of Object.entries(own)) this.#values.set(key, value)
    for (const { key, value, raw } of given) {
      if (key in own || raw === true) continue
      // `PATH: /mine:$PATH` adds to the one that is there.
      const itself = inherited.get(key) ?? ''
      this.#values.set(
        key,
        replaced(value ?? '', (name) => (name === key ? itself : this.get(name))),
      )
    }
    for (const { key, file } of given) {
      if (file !== true || key in own) continue
      this.#files.set(key, this.#values.get(key) ?? '')
      this.#values.set(key, join(folder, key))
    }
  }

  get(key: string): string | undefined {
    return this.#values.get(key)
  }

  /** A text with the values that it refers to; nothing for those that are not there. */
  expand(text: string): string {
    return replaced(text, (name) => this.get(name))
  }

  /** Writes the files of variables. */
  async writeFiles(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    for (const [key, text] of this.#files) await writeFile(join(this.#folder, key), text, { mode: 0o600 })
  }

  /** The environment of a script. */
  environment(): Record<string, string> {
    return Object.fromEntries(this.#values)
  }
}
