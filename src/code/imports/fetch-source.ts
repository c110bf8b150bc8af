import { mkdir, open } from 'node:fs/promises'
import { GitFailed, OutputTooLarge } from '#code/git/errors.ts'
import { BRANCHES, branchOf, TAGS } from '#code/git/names.ts'
import type { Git } from '#code/git/processes/git.ts'
import { listReferences, type Reference } from '#code/git/references.ts'
import type { Repository } from '#code/git/repository.ts'
import { type Outgoing, readUrl, targetOf } from '#platform/outgoing/outgoing.ts'
import { OutgoingProxy } from '#platform/outgoing/proxy.ts'
import { ImportRefused } from './errors.ts'
import type { ImportSource } from './source-url.ts'

/** A repository of others that is on the disk. Nobody has checked its objects. */
export interface FetchedRepository {
  readonly repository: Repository
  /** Its branches and tags. */
  readonly references: readonly Reference[]
}

export interface FetchOptions {
  readonly git: Git
  readonly outgoing: Outgoing
  /** Bytes that the source may send; 0 for no limit. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** Milliseconds that a source may take in all. */
const TIME = 3_600_000
/** Seconds in which it must send something. */
const SILENCE = 120

/** A repository of another server that git asks by a proxy of its own. */
export class RemoteRepository implements AsyncDisposable {
  readonly #source: ImportSource
  readonly #options: FetchOptions
  readonly #proxy: OutgoingProxy

  private constructor(source: ImportSource, options: FetchOptions, proxy: OutgoingProxy) {
    this.#source = source
    this.#options = options
    this.#proxy = proxy
  }

  static async open(source: ImportSource, options: FetchOptions): Promise<RemoteRepository> {
    const { outgoing, maxBytes, signal } = options
    const to = targetOf(readUrl(source.url))
    return new RemoteRepository(source, options, await OutgoingProxy.open(outgoing, { to, maxBytes, signal }))
  }

  /** The name of its default branch. @throws {ImportRefused} */
  async defaultBranch(): Promise<string | undefined> {
    const text = await this.#run(undefined, ['ls-remote', '--symref', this.#source.url, 'HEAD'])
    const [, head] = /^ref: (\S+)\tHEAD$/m.exec(text) ?? []
    return head === undefined ? undefined : branchOf(head)
  }

  /**
   * Fetches its branches and tags, and nothing else, into a new repository.
   * @throws {ImportRefused}
   */
  fetchInto(folder: string): Promise<FetchedRepository> {
    return fetchEverything(this.#options.git, folder, (args) =>
      this.#run(folder, [...args, this.#source.url, ...EVERYTHING]),
    )
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#proxy[Symbol.asyncDispose]()
  }

  async #run(folder: string | undefined, args: readonly string[]): Promise<string> {
    const { git, signal } = this.#options
    const at = folder === undefined ? undefined : { folder }
    try {
      return await git.text(at, args, {
        lane: 'transfer',
        time: TIME,
        signal,
        configuration: this.#configuration(),
      })
    } catch (error) {
      throw this.#meaningOf(error)
    }
  }

  /** By the environment, so that no list of processes shows a secret. */
  #configuration(): Record<string, string> {
    const { credentials } = this.#source
    return {
      'protocol.http.allow': 'always',
      'protocol.https.allow': 'always',
      'http.proxy': this.#proxy.url,
      'http.proxyAuthMethod': 'basic',
      'http.followRedirects': 'false',
      'http.lowSpeedLimit': '1',
      'http.lowSpeedTime': String(SILENCE),
      ...(credentials !== undefined && { 'http.extraHeader': authorization(credentials) }),
    }
  }

  #meaningOf(error: unknown): unknown {
    this.#options.signal.throwIfAborted()
    const { failure } = this.#proxy
    if (failure?.reason === 'large')
      return new ImportRefused('The repository is larger than this server allows')
    if (failure !== undefined) return new ImportRefused(failure.message)
    if (error instanceof OutputTooLarge)
      return new ImportRefused('The repository has too many branches and tags')
    const failed = error instanceof Error && error.cause instanceof GitFailed ? error.cause : error
    return failed instanceof GitFailed ? new ImportRefused(sentenceOf(failed)) : error
  }
}

/**
 * The same for the file of a bundle.
 * @throws {ImportRefused} for one that is damaged, or builds on what it does not have
 */
export async function fetchBundle(
  bundle: string,
  folder: string,
  { git, signal }: Pick<FetchOptions, 'git' | 'signal'>,
): Promise<FetchedRepository> {
  const configuration = { 'protocol.file.allow': 'always' }
  if (!(await isBundle(bundle))) throw new ImportRefused(DAMAGED)
  return fetchEverything(git, folder, async (args) => {
    try {
      await git.capture({ folder }, [...args, bundle, ...EVERYTHING], {
        lane: 'transfer',
        time: TIME,
        signal,
        configuration,
      })
    } catch (error) {
      signal.throwIfAborted()
      throw isOfGit(error) ? new ImportRefused(DAMAGED, { cause: error }) : error
    }
  })
}

const DAMAGED = 'The repository in the archive is damaged'

const FIRST_LINE = /^# v[23] git bundle\n$/

/** Git follows another file that begins with `gitdir:` to any repository of this machine, so it only gets bundles. */
async function isBundle(path: string): Promise<boolean> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0)
  return FIRST_LINE.test(buffer.toString('latin1', 0, bytesRead))
}

const EVERYTHING = [BRANCHES, TAGS].map((prefix) => `+${prefix}*:${prefix}*`)

/** @param run fetches with these arguments from where it knows. */
async function fetchEverything(
  git: Git,
  folder: string,
  run: (args: readonly string[]) => Promise<unknown>,
): Promise<FetchedRepository> {
  await mkdir(folder)
  await git.capture({ folder }, ['init', '--bare', '--quiet', '--template='], { lane: 'write' })
  await run(['fetch', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--quiet'])
  const repository = { id: 0, folder, git }
  const references = [
    ...(await listReferences(repository, BRANCHES)),
    ...(await listReferences(repository, TAGS)),
  ]
  return { repository, references }
}

const isOfGit = (error: unknown): boolean =>
  error instanceof GitFailed || (error instanceof Error && error.cause instanceof GitFailed)

const authorization = ({ user, password }: { readonly user: string; readonly password: string }): string =>
  `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

const sentences: readonly (readonly [RegExp, string])[] = [
  [
    /Authentication failed|could not read Username|error: 40[13]/,
    'The server of the repository asks for other credentials',
  ],
  [/error: 404|not found|not valid: is this a git repository/, 'There is no repository at this URL'],
  [/error: 30\d|redirect/, 'The repository has moved: give the URL that this one redirects to'],
  [
    /error: 5\d\d|Empty reply|timed out|too slow|unexpected disconnect|early EOF|RPC failed/,
    'The server of the repository failed',
  ],
]

function sentenceOf({ stderr }: GitFailed): string {
  const [, found] = sentences.find(([pattern]) => pattern.test(stderr)) ?? []
  return found ?? 'Git cannot read the repository'
}
