import { scopes } from '#platform/access/scopes.ts'
import { passwordOptions } from './chosen-password.ts'
import type { Command } from './command.ts'

const passphraseFile = {
  value: '<file>',
  about: 'The file with the passphrase that the backup is encrypted with.',
}

const runnerOptions = {
  folder: { value: '<folder>', about: 'The folder of the runner; ~/.forgelet-runner unless given.' },
  'as-root': { about: 'For tests in containers: work as root all the same.' },
}

/**
 * Every command of `forgelet`. A command imports what it needs when it runs, so that `--help` and mistakes are
 * answered at once.
 */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    about: 'Start the server. This is what happens without a command.',
    more:
      'The first start shows the password and a token of the administrator "root", once: on a terminal, else in the file\n' +
      'first-administrator.txt of the data folder.\n' +
      'SIGTERM or Ctrl-C: requests under way are finished, then everything stops. A second one: at once.\n' +
      'With --ephemeral, or started by npm start or npx, it also stops when the process that started it ends.',
    options: {
      ephemeral: { about: 'Keep the data in a temporary folder without fsync, gone at the end.' },
      seed: {
        value: '<number>',
        about: 'With --ephemeral: the same ids, times and secrets in each run.',
      },
      'ready-file': {
        value: '<file>',
        about:
          'Write a line of JSON when the server is ready: its url, its pid and, with --ephemeral, the token.',
      },
      'exit-with-stdin': { about: 'Stop when standard input ends.' },
      plan: {
        value: '<plan>',
        about: 'With --ephemeral: start with a license for premium or ultimate.',
      },
    },
    run: async (given, terminal) => (await import('./serve.ts')).serve(given, terminal),
  },
  {
    name: 'migrate',
    about: 'Bring the schema of the database up to date, and nothing else.',
    more: 'Not needed in everyday use: "serve" does it at every start, and alone makes an instance where there is none.',
    options: {},
    run: async (_, terminal) => (await import('./migrate.ts')).migrateCommand(terminal),
  },
  {
    name: 'database upgrade',
    about: 'Bring the embedded database of an earlier PostgreSQL into the one of this version.',
    more:
      'Needed once when the server says so. Stop the server first. Everything is copied into a new database, which then\n' +
      'takes the place of the old one; the old one is kept beside it, and nothing is written to it. The disk needs room for\n' +
      'both. It may be stopped or killed at any moment: run it again.\n' +
      'It needs the programs of the earlier PostgreSQL, and says how to get them where the system has none.',
    options: {
      programs: {
        value: '<folder>',
        about:
          'The folder with the programs of the earlier PostgreSQL, or into which npm has installed them.',
      },
    },
    run: async (given, terminal) =>
      (await import('./upgrade-database.ts')).upgradeDatabaseCommand(given, terminal),
  },
  {
    name: 'doctor',
    about: 'Look for what is wrong with the configuration and everything that the server needs.',
    more:
      'Checks git, the data folder, the database, the clock, the storages of repositories, the files, Redis and the mail\n' +
      'server, and says for each what to do. It changes nothing. Works beside a running server, and without one.\n' +
      'Exit code 1: something must be mended before the server can work.',
    options: {},
    run: async (_, terminal) => (await import('./doctor.ts')).doctorCommand(terminal),
  },
  {
    name: 'completion',
    about: 'Print what makes a shell complete commands and options.',
    more:
      'For bash, zsh or fish. In bash: source <(forgelet completion bash)\n' +
      'In zsh, after compinit: source <(forgelet completion zsh)\n' +
      'In fish: forgelet completion fish | source',
    argument: '<shell>',
    options: {},
    run: async (given, terminal) =>
      (await import('./completion.ts')).completionCommand(given, terminal, commands),
  },
  {
    name: 'user create',
    about: 'Make a user.',
    more:
      'Without a password one is made and printed, alone on standard output.\n' +
      'Works beside a running server, and without one.',
    options: {
      username: { value: '<username>', about: 'Also the path of the personal namespace.', required: true },
      name: { value: '<name>', about: 'The name that people see.', required: true },
      email: { value: '<address>', about: 'The e-mail address.', required: true },
      ...passwordOptions,
      admin: { about: 'Make an administrator.' },
    },
    run: async (given, terminal) => (await import('./create-user.ts')).createUserCommand(given, terminal),
  },
  {
    name: 'user reset-password',
    about: 'Give a user another password, and end their sessions.',
    more:
      'Without a password one is made and printed, alone on standard output.\n' +
      'Works beside a running server, and without one.',
    options: {
      user: { value: '<username>', about: 'Whose password it is.', required: true },
      ...passwordOptions,
    },
    run: async (given, terminal) =>
      (await import('./reset-password.ts')).resetPasswordCommand(given, terminal),
  },
  {
    name: 'user unlock',
    about: 'Let a user in who is blocked, banned, deactivated or not yet approved.',
    more:
      'Works beside a running server, and without one. Too many attempts to sign in need no unlocking: they are\n' +
      'forgotten after an hour at the latest.',
    options: { user: { value: '<username>', about: 'Who is to be let in.', required: true } },
    run: async (given, terminal) => (await import('./unlock-user.ts')).unlockUserCommand(given, terminal),
  },
  {
    name: 'token create',
    about: 'Make a personal access token and print it, alone on standard output.',
    more: `Scopes: ${scopes.join(', ')}.\nWorks beside a running server, and without one.`,
    options: {
      user: { value: '<username>', about: 'Whose token it is.', required: true },
      name: { value: '<name>', about: 'What it is for.', required: true },
      scope: { value: '<scope>', about: 'What it may do; repeat for several.', required: true, many: true },
      expires: { value: '<YYYY-MM-DD>', about: 'The first day it no longer works; never unless given.' },
    },
    run: async (given, terminal) => (await import('./create-token.ts')).createTokenCommand(given, terminal),
  },
  {
    name: 'runner register',
    about: 'Make a runner of this account, which "forgelet runner" then runs.',
    more:
      'The token is one of a runner that somebody made before (glrt-…), or the access token of an administrator, with which\n' +
      'a runner for the whole instance is made. Older registration tokens count where the instance allows them.\n' +
      'Without --tag the runner takes jobs without tags. Linux only, and not as root: give it an account of its own.\n' +
      'Done, run "forgelet runner". A project or group gets a runner of its own by POST /user/runners, whose token goes here.',
    options: {
      url: { value: '<url>', about: 'Where the server is; http://127.0.0.1:8080 unless given.' },
      token: { value: '<token>', about: 'The token; others may see it in process lists.' },
      'token-stdin': { about: 'Read the token from standard input.' },
      tag: { value: '<tag>', about: 'Take jobs that have this tag; repeat for several.', many: true },
      description: { value: '<text>', about: 'What people see; the name of the machine unless given.' },
      ...runnerOptions,
    },
    run: async (given, terminal) => (await import('./runner.ts')).registerRunnerCommand(given, terminal),
  },
  {
    name: 'runner',
    about: 'Run jobs of pipelines by bash on this machine.',
    more:
      '"forgelet runner register" comes first. Jobs can do whatever this account can: give it one of its own, and not root.\n' +
      'Everything is in the folder of the runner, which no other account may read. Images and services of jobs are ignored.\n' +
      'SIGTERM or Ctrl-C: jobs under way are finished, then it stops. A second one: they fail at once.',
    options: {
      concurrent: { value: '<number>', about: 'Jobs at once; 1 unless given.' },
      ...runnerOptions,
    },
    run: async (given, terminal) => (await import('./runner.ts')).runnerCommand(given, terminal),
  },
  {
    name: 'files move',
    about: 'Move all uploaded files to where the configuration puts new ones.',
    more:
      'To S3: set FORGELET_BLOBS and its keys, restart the servers, then run this with the same environment.\n' +
      'Back to the data folder: add read_only=true to FORGELET_BLOBS, restart, run this, then unset FORGELET_BLOBS.\n' +
      'Servers go on serving meanwhile. Each file is copied and compared before its row names the copy; the old bytes are\n' +
      'removed by a job later. It may be stopped at any moment: run again, it goes on where it was.\n' +
      'Run it on the machine that has the data folder. Exit code 1: some files could not be moved; each is named.',
    options: {},
    run: async (_, terminal) => (await import('./move-files.ts')).moveFilesCommand(terminal),
  },
  {
    name: 'secrets rotate',
    about: 'Encrypt passwords for other servers with a new key.',
    more:
      'These are the passwords that people gave and that this program must read back, such as those of upstreams.\n' +
      'Servers go on serving meanwhile. It may be stopped at any moment: run it again. The master key stays the same.',
    options: {},
    run: async (_, terminal) => (await import('./rotate-secrets.ts')).rotateSecretsCommand(terminal),
  },
  {
    name: 'check repositories',
    about: 'Compare all repositories with the database, and report what is wrong.',
    more:
      'Looks at the folders, at the objects in them, and at what the database tells of them.\n' +
      'With --repair: records changes that a process which died has left, corrects the rows, and moves folders that the\n' +
      'database does not know aside, into the folder "unknown" of their storage. Damaged repositories need a backup.\n' +
      'Servers go on serving meanwhile. Run it on a machine that has all storages.\n' +
      'Exit code 1: something is wrong that is not repaired.',
    options: { repair: { about: 'Mend what can be mended.' } },
    run: async (given, terminal) =>
      (await import('./check-repositories.ts')).checkRepositoriesCommand(given, terminal),
  },
  {
    name: 'storage status',
    about: 'Print the storages of repositories, and how far moves between them are.',
    more:
      'Shows for each storage its folder, how much is on it, its weight for new repositories, and whether this machine can\n' +
      'use it; then the moves that are not finished, with what they have copied and why they failed.\n' +
      'Servers go on serving meanwhile. Exit code 1: a storage cannot be used.',
    options: {},
    run: async (_, terminal) => (await import('./storage-status.ts')).storageStatusCommand(terminal),
  },
  {
    name: 'backup',
    about: 'Write everything into one file, while servers run.',
    more:
      'The database as of one moment, the files and repositories that it names, and the secret key, into <file|->; - is\n' +
      'standard output. The file gets its name when it is whole; until then it is <file>.part.\n' +
      '"forgelet backup verify" reads it again and compares its checksums.\n' +
      'Servers go on serving; nothing is removed meanwhile. Run it on a machine that has all storages.\n' +
      'Exit code 1: it failed, or some files had lost their bytes before.',
    argument: '<file|->',
    options: {
      'without-key': { about: 'Leave the secret key out. Without that key nobody can restore the backup.' },
      'passphrase-file': passphraseFile,
    },
    run: async (given, terminal) => (await import('./back-up.ts')).backUpCommand(given, terminal),
  },
  {
    name: 'backup verify',
    about: 'Read a backup to its end, and compare its checksums.',
    more: 'Needs no database. With - it reads standard input.',
    argument: '<file|->',
    options: { 'passphrase-file': passphraseFile },
    run: async (given, terminal) => (await import('./verify-backup.ts')).verifyBackupCommand(given, terminal),
  },
  {
    name: 'restore',
    about: 'Make an instance of a backup, where there is none.',
    more:
      'The data folder must be empty, and so must the database that FORGELET_DATABASE_URL names. With - it reads standard\n' +
      'input. Backups of earlier versions are brought up to date.\n' +
      'Until it has ended, no server starts on what is there. If it was interrupted: empty the folder and the database,\n' +
      'and run it again. Exit code 1: it failed, or some repository is damaged.',
    argument: '<file|->',
    options: { 'passphrase-file': passphraseFile },
    run: async (given, terminal) => (await import('./restore.ts')).restoreCommand(given, terminal),
  },
  {
    name: 'license issue',
    about: 'Sign a license and print it, alone on standard output.',
    more:
      "Signed with the key of the instance, which it trusts by itself. With --key, for instances that name that key's\n" +
      'public half in FORGELET_LICENSE_PUBLIC_KEYS; then no database is needed.\n' +
      'Works beside a running server, and without one.\n' +
      'Add it with POST /api/v4/license.',
    options: {
      plan: { value: '<plan>', about: 'premium or ultimate.', required: true },
      company: { value: '<name>', about: 'The company it is for.', required: true },
      name: { value: '<name>', about: 'The person it is for.', required: true },
      email: { value: '<address>', about: 'The e-mail address of that person.', required: true },
      users: {
        value: '<number>',
        about: 'How many users may take a seat; 0 means no limit.',
        required: true,
      },
      starts: { value: '<YYYY-MM-DD>', about: 'The first day on which it counts; today unless given.' },
      expires: {
        value: '<YYYY-MM-DD>',
        about: 'The first day on which the license no longer counts.',
        required: true,
      },
      'add-on': { value: '<NAME=N>', about: 'An add-on with its number; repeat for several.', many: true },
      key: { value: '<file>', about: 'An Ed25519 private key in PEM to sign with instead.' },
    },
    run: async (given, terminal) => (await import('./issue-license.ts')).issueLicense(given, terminal),
  },
  {
    name: 'license inspect',
    about: 'Explain a license, and whether this instance trusts its signature.',
    more:
      'Reads the license from standard input unless it is given.\n' +
      'Signatures by the key of the instance can be checked where its database can be reached.',
    argument: '<license>',
    options: {},
    run: async (given, terminal) => (await import('./inspect-license.ts')).inspectLicense(given, terminal),
  },
]
