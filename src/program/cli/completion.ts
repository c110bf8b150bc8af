import { type Command, type CommandOptions, type Terminal, UsageError } from './command.ts'

const shells: Readonly<Record<string, (commands: readonly Command[]) => string>> = { bash, zsh, fish }

/** Prints the completions of a shell. They name what this version of the program knows, so nothing runs to complete. */
export async function completionCommand(
  given: CommandOptions,
  terminal: Terminal,
  commands: readonly Command[],
): Promise<number> {
  const shell = given.argument ?? ''
  const print = Object.hasOwn(shells, shell) ? shells[shell] : undefined
  if (print === undefined) {
    throw new UsageError(`name a shell, not "${shell}" (shells: ${Object.keys(shells).join(', ')})`)
  }
  terminal.out(print(commands))
  return 0
}

const everywhere = ['help', 'version']

const optionsOf = ({ options }: Command) =>
  [...Object.keys(options), ...everywhere].map((name) => `--${name}`)

/** What may come after the words that a command line begins with; the key is those words. */
function nextWords(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const next = new Map<string, Set<string>>()
  const add = (after: string, word: string) => next.set(after, (next.get(after) ?? new Set()).add(word))
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ')
    add('', first)
    if (second !== undefined) add(first, second)
  }
  return new Map([...next].map(([after, words]) => [after, [...words]]))
}

function bash(commands: readonly Command[]): string {
  const cases = [
    ...[...nextWords(commands)].map(([after, words]) => [after, words] as const),
    ...commands.map((command) => [`${command.name} --`, optionsOf(command)] as const),
  ]
  const [first] = commands
  return [
    '_forgelet() {',
    '  local word="${COMP_WORDS[COMP_CWORD]}" before="" one',
    '  for one in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    [[ $one == -* ]] || before="${before:+$before }$one"',
    '  done',
    '  [[ $word == -* ]] && before="${before:+$before }--"',
    '  case "$before" in',
    ...cases.map(
      ([after, words]) => `    '${after}') COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$word")) ;;`,
    ),
    ...(first === undefined
      ? []
      : [`    '--') COMPREPLY=($(compgen -W '${optionsOf(first).join(' ')}' -- "$word")) ;;`]),
    '  esac',
    '}',
    'complete -F _forgelet forgelet',
    '',
  ].join('\n')
}

/** Zsh runs what bash does. */
function zsh(commands: readonly Command[]): string {
  return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`
}

function fish(commands: readonly Command[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`\'`)}'`
  const lines = ['complete -c forgelet -f']
  for (const [after, words] of nextWords(commands)) {
    const when = after === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${after}`
    lines.push(`complete -c forgelet -n ${quoted(when)} -a ${quoted(words.join(' '))}`)
  }
  for (const { name, options } of commands) {
    const when = name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
    for (const [option, { about, value }] of Object.entries(options)) {
      const takes = value === undefined ? '' : ' -r'
      lines.push(`complete -c forgelet -n ${quoted(when)} -l ${option}${takes} -d ${quoted(about)}`)
    }
  }
  return `${lines.join('\n')}\n`
}
