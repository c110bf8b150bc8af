import { scopes } from '#access/scopes.ts'
import type { Command } from './command.ts'

/**
 * Everything that `forgelet` can do. What a command needs is imported when it runs, so that `--help` and
 * mistakes are answered at once.
 */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    about: 'Start the server. This is what happens without a command.',
    more:
      'The first start prints the password and a token of the administrator "root", once.\n' +
      'SIGTERM or Ctrl-C: requests under way are finished, then everything stops. A second one: at once.',
    options: {
      ephemeral: { about: 'Keep the data in a temporary folder without fsync, gone at the end.' },
    },
    run: async (given, terminal) => (await import('./serve.ts')).serve(given, terminal),
  },
  {
    name: 'migrate',
    about: 'Bring the schema of the database up to date, and nothing else.',
    more: 'Not needed in everyday use: "serve" does it at every start.',
    options: {},
    run: async (_, terminal) => (await import('./migrate.ts')).migrateCommand(terminal),
  },
  {
    name: 'user create',
    about: 'Make a user.',
    more:
      'Without a password one is made and printed, alone on standard output.\n' +
      'With the embedded database this works while no server is running on the data folder.',
    options: {
      username: { value: '<username>', about: 'Also the path of the personal namespace.', required: true },
      name: { value: '<name>', about: 'The name that people see.', required: true },
      email: { value: '<address>', about: 'The e-mail address.', required: true },
      password: { value: '<password>', about: 'At least 8 characters; others may see it in process lists.' },
      'password-stdin': { about: 'Read the password from standard input.' },
      admin: { about: 'Make an administrator.' },
    },
    run: async (given, terminal) => (await import('./create-user.ts')).createUserCommand(given, terminal),
  },
  {
    name: 'token create',
    about: 'Make a personal access token and print it, alone on standard output.',
    more:
      `Scopes: ${scopes.join(', ')}.\n` +
      'With the embedded database this works while no server is running on the data folder.',
    options: {
      user: { value: '<username>', about: 'Whose token it is.', required: true },
      name: { value: '<name>', about: 'What it is for.', required: true },
      scope: { value: '<scope>', about: 'What it may do; repeat for several.', required: true, many: true },
      expires: { value: '<YYYY-MM-DD>', about: 'The first day it no longer works; never unless given.' },
    },
    run: async (given, terminal) => (await import('./create-token.ts')).createTokenCommand(given, terminal),
  },
]
