import { variables } from '#platform/config/variables.ts'
import { greatest } from '#platform/sequences.ts'
import type { CommandGroup } from './arguments.ts'
import type { Command } from './command.ts'

const COMMON = [
  ['--help', 'Show this; after a command, the help of that command.'],
  ['--version', 'Show the version.'],
] as const

/** The help about all commands. */
export function helpOfAll(commands: readonly Command[], version: string): string {
  return [
    `Forgelet ${version}: a software-development collaboration server, compatible with the GitLab REST API v4.`,
    '\nUsage: forgelet [command] [options]',
    '\nCommands:',
    ...table(commands.map(({ name, about }) => [name, about])),
    '\nOptions:',
    ...table([...(commands[0] === undefined ? [] : optionsOf(commands[0])), ...COMMON]),
    '\nEnvironment:',
    ...table(Object.values(variables).map((variable) => [variable.name, aboutVariable(variable)])),
    '\nSecrets may also be in files: <NAME>_FILE names one.',
    'Exit codes: 0 done; 1 refused or failed; 2 the command line or the environment is wrong.\n',
  ].join('\n')
}

/** The help about the commands that begin with one word. */
export function helpOfGroup({ name, commands }: CommandGroup): string {
  return [
    `Usage: forgelet ${name} <command> [options]`,
    '\nCommands:',
    ...table(commands.map((command) => [command.name, command.about])),
    '\nOptions:',
    ...table(COMMON),
    '',
  ].join('\n')
}

/** The help about one command. */
export function helpOf(command: Command): string {
  const required = Object.entries(command.options)
    .filter(([, option]) => option.required)
    .map(([name, option]) => ` --${name} ${option.value ?? ''}`)
  const more = command.more === undefined ? [] : [command.more]
  return [
    command.about,
    ...more,
    `\nUsage: forgelet ${command.name}${required.join('')} [options]${command.argument === undefined ? '' : ` [${command.argument}]`}`,
    '\nOptions:',
    ...table([...optionsOf(command), ...COMMON]),
    '',
  ].join('\n')
}

function optionsOf(command: Command): [string, string][] {
  return Object.entries(command.options).map(([name, { value, about }]) => [
    `--${name}${value === undefined ? '' : ` ${value}`}`,
    about,
  ])
}

function aboutVariable({ about, fallback }: { about: string; fallback: string | undefined }): string {
  const sentence = about.replaceAll('`', '')
  return fallback === undefined || fallback === '' ? sentence : `${sentence} (${fallback})`
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = greatest(
    0,
    rows.map(([left]) => left.length),
  )
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
