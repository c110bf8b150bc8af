import { parseArgs } from 'node:util'
import { type Command, Given, UsageError } from './command.ts'
import { nearest } from './nearest.ts'

export type Request =
  | { readonly kind: 'version' }
  /** Of everything, or of one command. */
  | { readonly kind: 'help'; readonly command: Command | undefined }
  | { readonly kind: 'run'; readonly command: Command; readonly given: Given }

/** @throws {UsageError} with one line that says what is wrong and what is right. */
export function readArguments(args: readonly string[], commands: readonly Command[]): Request {
  const { tokens } = parseArgs({
    args: [...args],
    options: knownOptions(commands),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []))
  const options = tokens.filter((token) => token.kind === 'option')
  const command = findCommand(words, commands)
  if (options.some(({ rawName }) => rawName === '--version')) return { kind: 'version' }
  if (options.some(({ rawName }) => rawName === '--help' || rawName === '-h')) {
    return { kind: 'help', command: words.length === 0 ? undefined : command }
  }
  const values = new Map<string, string[]>()
  for (const { name, rawName, value, inlineValue } of options) {
    const option = rawName.startsWith('--') ? command.options[name] : undefined
    if (option === undefined) throw unknownOption(rawName, command)
    if (option.value === undefined) {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value`)
      values.set(name, [])
      continue
    }
    if (value === undefined || (!inlineValue && value.startsWith('-'))) {
      throw new UsageError(`${rawName} needs a value: ${rawName}=${option.value}`)
    }
    values.set(name, [...(values.get(name) ?? []), value])
  }
  for (const [name, { value, required }] of Object.entries(command.options)) {
    if (required && !values.has(name)) {
      throw new UsageError(`forgelet ${command.name} needs --${name} ${value ?? ''}`.trimEnd())
    }
  }
  return { kind: 'run', command, given: new Given(values) }
}

/** Which options take a value, all commands together: it is the same wherever the name occurs. */
function knownOptions(commands: readonly Command[]): Record<string, { type: 'string' | 'boolean' }> {
  const entries = commands.flatMap(({ options }) => Object.entries(options))
  return Object.fromEntries(
    entries.map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }]),
  )
}

function findCommand(words: readonly string[], commands: readonly Command[]): Command {
  const asked = words.join(' ')
  const found = commands.find(({ name }, index) => (asked === '' ? index === 0 : name === asked))
  if (found !== undefined) return found
  const names = commands.map(({ name }) => name)
  const extra = names.find((name) => asked.startsWith(`${name} `))
  if (extra !== undefined) {
    throw new UsageError(`forgelet ${extra} takes options only, not "${asked.slice(extra.length + 1)}"`)
  }
  const meant = names.find((name) => name.startsWith(`${asked} `)) ?? nearest(asked, names)
  throw new UsageError(
    `there is no command "${asked}"${meant === undefined ? '' : `, did you mean "${meant}"?`}` +
      ` (commands: ${names.join(', ')})`,
  )
}

function unknownOption(rawName: string, command: Command): UsageError {
  const names = [...Object.keys(command.options), 'help', 'version'].map((name) => `--${name}`)
  const meant = nearest(rawName, names)
  return new UsageError(
    `forgelet ${command.name} has no option ${rawName}${meant === undefined ? '' : `, did you mean ${meant}?`}` +
      ` (options: ${names.join(', ')})`,
  )
}
