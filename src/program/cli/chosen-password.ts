import { randomBytes } from 'node:crypto'
import { type CommandOptions, type Terminal, UsageError } from './command.ts'

const SHORTEST = 8

/** The options of commands that set a password. */
export const passwordOptions = {
  password: { value: '<password>', about: 'At least 8 characters; others may see it in process lists.' },
  'password-stdin': { about: 'Read the password from standard input.' },
}

/** A password for a command, and whether it was made because none was given; then the command prints it. */
export interface ChosenPassword {
  readonly password: string
  readonly made: boolean
}

/** @throws {UsageError} for one that is too short, and for two. */
export async function chosenPassword(given: CommandOptions, terminal: Terminal): Promise<ChosenPassword> {
  const chosen = await readPassword(given, terminal)
  if (chosen === undefined) return { password: randomBytes(15).toString('base64url'), made: true }
  if (chosen.length < SHORTEST) {
    throw new UsageError(`the password should have ${SHORTEST} characters or more`)
  }
  return { password: chosen, made: false }
}

async function readPassword(given: CommandOptions, terminal: Terminal): Promise<string | undefined> {
  if (!given.has('password-stdin')) return given.maybe('password')
  if (given.has('password')) throw new UsageError('--password and --password-stdin: choose one')
  let text = ''
  for await (const part of terminal.input) text += part.toString()
  return text.replace(/\r?\n$/, '')
}
