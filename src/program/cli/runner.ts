import { execFile } from 'node:child_process'
import { realpathSync, statSync } from 'node:fs'
import { homedir, hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { DataFolderBusy } from '#platform/db/embedded/errors.ts'
import { type FolderLock, lockFolder } from '#platform/db/embedded/lock.ts'
import { packageVersion } from '#platform/package.ts'
import { shellWord } from '#platform/shell-word.ts'
import { RefusedByServer, Unanswered } from '#runner/api.ts'
import { BadConfig, prepareFolder, readConfig } from '#runner/config.ts'
import { register } from '#runner/register.ts'
import { NoRunner, runRunner } from '#runner/run.ts'
import { type CommandOptions, Refused, type Terminal, UsageError } from './command.ts'

/** Makes a runner of this account, which "forgelet runner" then runs. */
export async function registerRunnerCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  const folder = folderOf(given, terminal)
  const url = addressIn(given.maybe('url') ?? 'http://127.0.0.1:8080')
  const token = await tokenIn(given, terminal)
  const tags = given
    .all('tag')
    .flatMap((text) => text.split(','))
    .map((tag) => tag.trim())
    .filter(Boolean)
  const description = given.maybe('description') ?? hostname()
  assertPlace(given)
  const replaces = await explained(() =>
    register(folder, {
      url,
      token,
      tags,
      description,
      version: packageVersion(),
      onSilence: (why) =>
        terminal.err(`forgelet: ${url} does not answer (${why}): asked again for half a minute\n`),
    }),
  )
  if (replaces)
    terminal.err(
      `This replaces what was registered in ${folder}. A runner that nobody uses any more can be removed from its server\n`,
    )
  const option = given.has('folder') ? ` --folder ${shellWord(folder)}` : ''
  terminal.err(`The runner in ${folder} takes jobs of ${url} while this runs: forgelet runner${option}\n`)
  return 0
}

/** Runs jobs, until it is stopped. */
export async function runnerCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  const folder = folderOf(given, terminal)
  const concurrent = Number(given.maybe('concurrent') ?? '1')
  if (!Number.isSafeInteger(concurrent) || concurrent < 1 || concurrent > 100)
    throw new UsageError('--concurrent should be a number from 1 to 100')
  assertPlace(given)
  await assertPrograms(terminal)
  const config = await explained(() => readConfig(folder))
  if (config === undefined)
    throw new Refused(
      `no runner is registered in ${folder}. Register one first: forgelet runner register --help`,
    )
  await prepareFolder(folder)
  const lock = await lockAlone(folder)
  const [drain, stop] = [new AbortController(), new AbortController()]
  const say = (text: string) => terminal.err(`${new Date().toISOString()} ${text}\n`)
  const onSignal = () => {
    if (drain.signal.aborted) stop.abort()
    else say('stops when its jobs have ended. A second Ctrl-C stops at once, and fails them')
    drain.abort()
  }
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, onSignal)
  say(`takes jobs of ${config.url}, ${concurrent} at once; Ctrl-C ends it`)
  const version = packageVersion()
  const { environment } = terminal
  const signals = { drain: drain.signal, stop: stop.signal }
  try {
    await explained(() => runRunner({ folder, config, concurrent, version, environment, say, ...signals }))
  } finally {
    await lock.release()
  }
  return 0
}

/** Makes sure that no other process works in the folder. */
async function lockAlone(folder: string): Promise<FolderLock> {
  try {
    return await lockFolder(folder)
  } catch (error) {
    if (!(error instanceof DataFolderBusy)) throw error
    throw new Refused(
      `another process works in ${folder}: end it, or give this one another folder with --folder. ` +
        'For more jobs at once, one process with a higher --concurrent is enough',
    )
  }
}

/** Jobs are other people's programs: they do not run as root, and only where process groups are known. */
function assertPlace(given: CommandOptions): void {
  if (process.platform !== 'linux') throw new Refused('the runner works on Linux only')
  if (process.getuid?.() === 0 && !given.has('as-root'))
    throw new Refused(
      'the runner does not work as root, because jobs could change everything. Give it an account of its own:\n' +
        closed() +
        '  useradd --create-home forgelet-runner\n' +
        `  ${asAccount('runner register --token TOKEN')}\n` +
        `  ${asAccount('runner')}`,
    )
}

/** What is to be done first where other accounts cannot reach this program, as in the home of root. */
function closed(): string {
  const [, script = ''] = process.argv
  let folder = dirname(realpathSync(script))
  while ((statSync(folder).mode & 0o001) !== 0) {
    if (folder === dirname(folder)) return ''
    folder = dirname(folder)
  }
  return `(No other account may enter ${folder}: put this program elsewhere before, such as into /opt.)\n`
}

/** What root types to run a command of this program as the account of the runner. Unlike `su`, `setpriv` is not in the way of Ctrl-C. */
function asAccount(command: string): string {
  const [, script = ''] = process.argv
  const program = [process.execPath, realpathSync(script)].map((path) =>
    /^[\w/.@+-]+$/.test(path) ? path : shellWord(path),
  )
  const account = '--reuid=forgelet-runner --regid=forgelet-runner --init-groups --reset-env'
  return `setpriv ${account} ${program.join(' ')} ${command}`
}

/** Without these, no job gets further than its sources. */
async function assertPrograms({ environment }: Terminal): Promise<void> {
  for (const program of ['bash', 'git'])
    try {
      await promisify(execFile)(program, ['--version'], { env: environment, timeout: 10_000 })
    } catch {
      throw new Refused(`${program} does not run here, and jobs need it: install the package ${program}`)
    }
}

function folderOf(given: CommandOptions, { environment }: Terminal): string {
  return resolve(given.maybe('folder') ?? join(environment['HOME'] ?? homedir(), '.forgelet-runner'))
}

function addressIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw new UsageError('--url should be where the server is, such as https://forge.example.org')
  return url.href.replace(/\/+$/, '')
}

async function tokenIn(given: CommandOptions, { input }: Terminal): Promise<string> {
  if (given.has('token') && given.has('token-stdin'))
    throw new UsageError('--token and --token-stdin: choose one')
  let text = given.maybe('token') ?? ''
  if (given.has('token-stdin')) for await (const part of input) text += part.toString()
  if (text.trim() === '') throw new UsageError('--token or --token-stdin is missing')
  return text.trim()
}

/** What happened, in words for whoever started the command. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BadConfig || error instanceof NoRunner) throw new Refused(error.message)
    if (error instanceof Unanswered)
      throw new Refused(`the server does not answer: ${error.message}. See that it runs, and --url`)
    if (error instanceof RefusedByServer) throw new Refused(`the server refuses: ${adviceOn(error)}`)
    throw error
  }
}

function adviceOn({ status, message }: RefusedByServer): string {
  if (status !== 401 && status !== 403) return `${message}. See that --url is where a server is`
  return (
    `${message}. --token should be that of a runner (glrt-…), the access token of an administrator with the scope api or ` +
    'create_runner, or a registration token where the instance allows them'
  )
}
