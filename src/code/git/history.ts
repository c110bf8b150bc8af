import type { Commit } from './commit.ts'
import type { Keeping } from './kept-answers.ts'
import { readCommits } from './objects.ts'
import type { CaptureOptions } from './processes/git.ts'
import type { Repository } from './repository.ts'

/** Which commits a log shows. Ids are resolved ids, paths are paths from the root. */
export interface LogFilter {
  /** The commits to start from. */
  readonly from: readonly string[]
  /** Leaves out what these reach. */
  readonly not?: readonly string[]
  /** Starts from all branches and tags, too. */
  readonly all?: boolean
  readonly paths?: readonly string[]
  /** Follows a single file through renames. */
  readonly follow?: boolean
  /** ISO 8601. */
  readonly since?: string
  readonly until?: string
  /** Part of the author's name or address, without regard to case. */
  readonly author?: string
  readonly firstParent?: boolean
  /** By default newest first. */
  readonly order?: 'topo' | 'default'
}

export interface LogPage {
  readonly skip: number
  readonly limit: number
}

/** The commits of a log, one page of it: one process for the ids, none for the commits. */
export async function log(repository: Repository, filter: LogFilter, page: LogPage): Promise<Commit[]> {
  return readCommits(repository, await logIds(repository, filter, page))
}

/** The same as ids alone. */
export async function logIds(
  repository: Repository,
  filter: LogFilter,
  { skip, limit }: LogPage,
): Promise<readonly string[]> {
  const paging = [`--skip=${skip}`, `--max-count=${limit}`]
  return keepingLog(repository, filter, paging, { bytes: bytesOfIds }, async () => {
    if (filter.follow) return followed(repository, filter, paging)
    const text = await revList(repository, [...paging, ...optionsOf(filter)], filter)
    return text.split('\n').filter((line) => line !== '')
  })
}

const bytesOfIds = (ids: readonly string[]): number => ids.length * 64
const bytesOfNumber = (): number => 8

/** A log from all branches and tags is another one after the next push. */
const keepingLog = <Value>(
  { git, id }: Repository,
  filter: LogFilter,
  paging: readonly string[],
  keeping: Keeping<Value>,
  ask: () => Promise<Value>,
): Promise<Value> =>
  filter.all === true
    ? ask()
    : git.kept.answer({ id }, `log ${paging.join(' ')} ${JSON.stringify(filter)}`, ask, keeping)

/** How many commits a log has; no more than `most` are counted. */
export async function countCommits(
  repository: Repository,
  filter: LogFilter,
  most?: number,
): Promise<number> {
  const limit = ['--count', ...(most === undefined ? [] : [`--max-count=${most}`])]
  return keepingLog(repository, filter, limit, { bytes: bytesOfNumber }, async () =>
    Number(await revList(repository, [...limit, ...optionsOf(filter)], filter)),
  )
}

/** What two commits have that the other one lacks. */
export interface Divergence {
  /** How many commits only the later one has. */
  readonly added: number
  /** How many commits only the earlier one has. */
  readonly removed: number
  /** Those that were added, the latest first; undefined where there are many. */
  readonly brought: readonly string[] | undefined
}

/** More commits than these are counted only. */
const FEW = 1_000

/** What `after` has that `before` lacks, and the other way round. */
export async function divergenceOf(
  repository: Repository,
  before: string,
  after: string,
  options?: CaptureOptions,
): Promise<Divergence> {
  const range = `${before}...${after}`
  const ask = async (): Promise<Divergence> => {
    const listing = ['rev-list', '--left-right', `--max-count=${FEW + 1}`, range, '--']
    const lines = (await repository.git.text(repository, listing, options)).split('\n').slice(0, -1)
    if (lines.length <= FEW) {
      const brought = lines.flatMap((line) => (line.startsWith('>') ? [line.slice(1)] : []))
      return { added: brought.length, removed: lines.length - brought.length, brought }
    }
    const args = ['rev-list', '--count', '--left-right', range, '--']
    const text = await repository.git.text(repository, args, options)
    const [removed = 0, added = 0] = text.trim().split('\t').map(Number)
    return { added, removed, brought: undefined }
  }
  return repository.git.kept.answer(repository, `between ${range}`, ask, keepingDivergence)
}

const keepingDivergence: Keeping<Divergence> = {
  bytes: ({ brought = [] }) => bytesOfNumber() + bytesOfIds(brought),
}

/** What a branch would bring to another one. */
export interface Offer {
  /** Whether the other one has commits that it lacks. */
  readonly isBehind: boolean
  /** The commits, the latest first; undefined where there are many. */
  readonly offered: readonly string[] | undefined
}

/** What merging `head` into `target` brings, both of which are commits. Undefined for nothing. */
export async function offerOf(
  repository: Repository,
  target: string,
  head: string,
): Promise<Offer | undefined> {
  const ask = async (): Promise<Offer | undefined> => {
    const listing = ['--boundary', `--max-count=${FEW + 1}`]
    const text = await revList(repository, listing, { from: [head], not: [target] })
    const lines = text.split('\n').slice(0, -1)
    const offered = lines.filter((line) => !line.startsWith('-'))
    if (offered.length === 0) return undefined
    // Of fewer commits, the boundary has every parent that is not among them. The tip of the target is one if nothing follows it there.
    if (offered.length <= FEW) return { isBehind: !lines.includes(`-${target}`), offered }
    return { isBehind: !(await isAncestor(repository, target, head)), offered: undefined }
  }
  const bytes = (offer: Offer | undefined) => bytesOfNumber() + bytesOfIds(offer?.offered ?? [])
  return repository.git.kept.answer(repository, `offer ${target} ${head}`, ask, { bytes })
}

/**
 * Keeps what a branch gains by what is offered to it, so that nobody asks git once it has grown.
 * @param after the tip that it gets: the one of the offer, or one that was made of both.
 */
export function tellGrowth(repository: Repository, before: string, after: string, { offered }: Offer): void {
  if (offered === undefined) return
  const brought = offered[0] === after ? offered : [after, ...offered]
  const divergence = { added: brought.length, removed: 0, brought }
  repository.git.kept.tell(repository, `between ${before}...${after}`, divergence, keepingDivergence)
}

/** The best common ancestor of some commits. Undefined when they have none. */
export async function mergeBase(repository: Repository, ids: readonly string[]): Promise<string | undefined> {
  const ask = async () => {
    const { output, code } = await repository.git.capture(repository, ['merge-base', ...ids], { accept: [1] })
    return code === 0 ? output.toString('latin1').trim() : undefined
  }
  return repository.git.kept.answer(repository, `merge-base ${ids.join(' ')}`, ask, { bytes: () => 64 })
}

/** Whether a commit is reached from another one. */
export async function isAncestor(
  repository: Repository,
  ancestor: string,
  of: string,
  options: CaptureOptions = {},
): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', ancestor, of]
  const ask = async () =>
    (await repository.git.capture(repository, args, { ...options, accept: [1] })).code === 0
  return repository.git.kept.answer(repository, args.join(' '), ask, { bytes: bytesOfNumber })
}

/** Those of some commits that follow from a commit, by any number of steps; and perhaps others that do. One process asks about all of them. */
export async function descendantsAmong(
  repository: Repository,
  ancestor: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const text = await revList(repository, ['--ancestry-path', '--ignore-missing'], {
    from: ids,
    not: [ancestor],
  })
  return new Set(text.split('\n'))
}

function optionsOf({ all, since, until, author, firstParent, order }: LogFilter): string[] {
  return [
    ...(since === undefined ? [] : [`--since=${readable(since)}`]),
    ...(until === undefined ? [] : [`--until=${readable(until)}`]),
    ...(author === undefined ? [] : ['--fixed-strings', '--regexp-ignore-case', `--author=${author}`]),
    ...(firstParent ? ['--first-parent'] : []),
    ...(order === 'topo' ? ['--topo-order'] : []),
    ...(all ? ['--branches', '--tags'] : []),
  ]
}

/** Git reads no moments outside of these years. */
const EARLIEST = Date.UTC(1970, 0, 2)
const LATEST = Date.UTC(2099, 11, 30)

/** A moment in a form that git reads exactly. */
function readable(moment: string): string {
  const time = Math.min(Math.max(Date.parse(moment), EARLIEST), LATEST)
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}

/** The commits are ids, so standard input takes any number of them, and none is an option. */
function revList(repository: Repository, options: readonly string[], filter: LogFilter): Promise<string> {
  const { from, not = [], paths = [] } = filter
  const input = [...from, ...not.map((id) => `^${id}`)].map((line) => `${line}\n`).join('')
  return repository.git.text(repository, ['rev-list', ...options, '--stdin', '--', ...paths], { input })
}

/** Only `git log` can follow renames. */
async function followed(
  repository: Repository,
  filter: LogFilter,
  paging: readonly string[],
): Promise<string[]> {
  const { from, not = [], paths = [] } = filter
  const revisions = [...from, ...not.map((id) => `^${id}`)]
  const args = [
    'log',
    '--follow',
    '--format=%H',
    ...paging,
    ...optionsOf(filter),
    ...revisions,
    '--',
    ...paths,
  ]
  const text = await repository.git.text(repository, args)
  return text.split('\n').filter((line) => line !== '')
}
