import { parseArgs } from 'node:util'
import { type Command, CommandOptions, UsageError } from './command.ts'
import { nearest } from './nearest.ts'

export type Request =
  | { readonly kind: 'version' }
  /** Help about all commands, about those that begin with one word, or about one. */
  | { readonly kind: 'help'; readonly about: 'all' | Command | CommandGroup }
  | { readonly kind: 'run'; readonly command: Command; readonly given: CommandOptions }

/** Commands that begin with the same word. */
export interface CommandGroup {
  readonly name: string
  readonly commands: readonly Command[]
}

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
  const wantsHelp = options.some(({ rawName }) => rawName === '--help' || rawName === '-h')
  const group = groupOf(words, commands)
  const isCommand = commands.some(({ name }) => name === group?.name)
  if (wantsHelp && group !== undefined && !isCommand) return { kind: 'help', about: group }
  const { command, argument } = findCommand(words, commands)
  if (options.some(({ rawName }) => rawName === '--version')) return { kind: 'version' }
  if (wantsHelp) return { kind: 'help', about: words.length === 0 ? 'all' : command }
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
  return { kind: 'run', command, given: new CommandOptions(values, argument) }
}

/** Which options take a value, in all commands together: a name means the same in each. */
function knownOptions(commands: readonly Command[]): Record<string, { type: 'string' | 'boolean' }> {
  const entries = commands.flatMap(({ options }) => Object.entries(options))
  return Object.fromEntries(
    entries.map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }]),
  )
}

/** The commands of which the words are the first half. */
function groupOf(words: readonly string[], commands: readonly Command[]): CommandGroup | undefined {
  const name = words.join(' ')
  const within = commands.filter((command) => name !== '' && command.name.startsWith(`${name} `))
  return within.length === 0 ? undefined : { name, commands: within }
}

interface CommandMatch {
  readonly command: Command
  readonly argument?: string
}

function findCommand(words: readonly string[], commands: readonly Command[]): CommandMatch {
  const asked = words.join(' ')
  const found = commands.find(({ name }, index) => (asked === '' ? index === 0 : name === asked))
  if (found !== undefined) return { command: found }
  const argument = words.at(-1)
  const taking = commands.find(({ name }) => name === words.slice(0, -1).join(' '))
  if (taking?.argument !== undefined && argument !== undefined) return { command: taking, argument }
  const names = commands.map(({ name }) => name)
  const extra = commands.find(({ name }) => asked.startsWith(`${name} `))
  if (extra !== undefined) {
    const takes = extra.argument === undefined ? 'options only' : `one ${extra.argument}`
    throw new UsageError(`forgelet ${extra.name} takes ${takes}, not "${asked.slice(extra.name.length + 1)}"`)
  }
  const group = groupOf(words, commands)
  if (group !== undefined) {
    const further = group.commands.map(({ name }) => name.slice(asked.length + 1)).join(' or ')
    throw new UsageError(`forgelet ${asked} needs another word: ${further}`)
  }
  const meant = nearest(asked, names)
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
