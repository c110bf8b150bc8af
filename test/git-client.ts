import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { ProcessStarter, type StartedProcess } from '#platform/processes/starter.ts'

/** What a command of the real git client came to. */
export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Workers of tests have much memory, and start thousands of processes. */
const starter = new ProcessStarter()

/** Milliseconds that a command may take. */
const LONGEST = 120_000

/** A folder in which the real git client works, with a configuration of its own. Removed at the end. */
export class GitClient implements AsyncDisposable {
  readonly folder: string
  readonly #environment: Readonly<Record<string, string>>

  private constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.folder = folder
    this.#environment = environment
  }

  static async open(environment: Readonly<Record<string, string>> = {}): Promise<GitClient> {
    const folder = await mkdtemp(join(tmpdir(), 'forgelet-git-'))
    await writeFile(
      join(folder, '.gitconfig'),
      '[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n',
    )
    return new GitClient(folder, environment)
  }

  /** Runs git, whatever comes of it. */
  async try(args: readonly string[], options?: RunOptions): Promise<Ran> {
    const { code, out, err } = await this.bytes(args, options)
    return { code, out: out.toString(), err }
  }

  /** The same for output that is no text. */
  async bytes(
    args: readonly string[],
    options: RunOptions = {},
  ): Promise<Omit<Ran, 'out'> & { readonly out: Buffer }> {
    const git = await this.start(args, options)
    const timer = setTimeout(() => git.kill(), LONGEST)
    git.stdin.end(options.input ?? '')
    const out = await buffer(git.stdout)
    const { code, stderr } = await git.ended
    clearTimeout(timer)
    return { code: code ?? -1, out, err: stderr }
  }

  /** Starts git, for what does not simply wait for its end. */
  start(
    args: readonly string[],
    { cwd = this.folder, env = {} }: Omit<RunOptions, 'input'> = {},
  ): Promise<StartedProcess> {
    const environment = {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: this.folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      // No example hooks in each new repository.
      GIT_TEMPLATE_DIR: '',
      LC_ALL: 'C',
      ...this.#environment,
      ...env,
    }
    return starter.start({ program: 'git', args, cwd, env: environment })
  }

  /** Runs git. @throws with what it said when it fails */
  async run(args: readonly string[], options?: RunOptions): Promise<string> {
    const { code, out, err } = await this.try(args, options)
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${err}`)
    return out
  }

  /** Clones into a folder of that name. */
  async clone(url: string, name: string, ...args: readonly string[]): Promise<Clone> {
    await this.run(['clone', '--quiet', ...args, url, name])
    return new Clone(this, join(this.folder, name))
  }

  /** A new repository, with an `origin`. */
  async init(url: string, name: string): Promise<Clone> {
    await this.run(['init', '--quiet', name])
    const clone = new Clone(this, join(this.folder, name))
    await clone.run('remote', 'add', 'origin', url)
    return clone
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
}

/** A worktree of the client. */
export class Clone {
  readonly folder: string
  readonly #client: GitClient

  constructor(client: GitClient, folder: string) {
    this.#client = client
    this.folder = folder
  }

  try(...args: readonly string[]): Promise<Ran> {
    return this.#client.try(args, { cwd: this.folder })
  }

  run(...args: readonly string[]): Promise<string> {
    return this.#client.run(args, { cwd: this.folder })
  }

  /** Writes files and commits them. @returns the commit's id */
  async commit(files: Readonly<Record<string, string | Buffer>>, message = 'Change files'): Promise<string> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, path)), { recursive: true })
      await writeFile(join(this.folder, path), content)
    }
    await this.run('add', '--all')
    await this.run('commit', '--quiet', '--message', message)
    return this.id('HEAD')
  }

  /** A pack with one object alone. */
  async pack(id: string): Promise<Buffer> {
    const args = ['pack-objects', '--stdout', '-q']
    return (await this.#client.bytes(args, { cwd: this.folder, input: `${id}\n` })).out
  }

  async id(name: string): Promise<string> {
    return (await this.run('rev-parse', name)).trim()
  }
}
