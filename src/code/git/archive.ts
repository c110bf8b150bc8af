import { pipeline, type Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { unprocessable } from '#platform/refusals.ts'
import { bzip2OfTar } from './bzip2-of-tar.ts'
import { GitFailed, TooMuchForGit } from './errors.ts'
import { READING_MEMORY } from './processes/lanes.ts'
import { streamOutput } from './processes/stream-output.ts'
import type { Repository } from './repository.ts'
import { zipOfTar } from './zip-of-tar.ts'

export interface ArchiveOptions {
  readonly format: 'tar' | 'zip' | 'tar.gz' | 'tar.bz2'
  /** The folder in the archive that holds everything, such as `hello-main-1a2b3c/`. */
  readonly prefix: string
  /** A file or folder from the root; by default everything. */
  readonly path?: string
  /** Files and folders that are left out. */
  readonly without?: readonly string[]
  /** Changes the archive before it is compressed. */
  readonly change?: ((tar: Readable) => Readable) | undefined
  /** Ends the process when the client leaves. */
  readonly signal?: AbortSignal
}

/** Git starts it to compress, because neither git nor Node.js can. */
const BZIP2 = ['-c', 'tar.tar.bz2.command=bzip2 -c']
/** In a tar archive, git lets the group write. */
const MODES_OF_ZIP = ['-c', 'tar.umask=0022']

/**
 * Streams an archive of a commit. The same commit gives the same bytes.
 * @throws before the first byte when the archive cannot be made: 422 when git refuses what is in the commit, 413 when it
 * has too many files.
 */
export async function archive(
  repository: Repository,
  commit: string,
  { format, prefix, path = '', without = [], change, signal }: ArchiveOptions,
): Promise<Readable> {
  // Git writes these itself unless they are changed.
  const isRemade = (format === 'zip' || format === 'tar.bz2') && change !== undefined
  await assertFew(repository, commit, isRemade && format === 'zip' ? MAX_NAMES : Infinity)
  const paths = [
    ...(path === '' ? [] : [`:(literal)${path}`]),
    ...without.map((one) => `:(exclude,literal)${one}`),
  ]
  const args = [
    ...(format === 'tar.bz2' ? BZIP2 : format === 'zip' ? MODES_OF_ZIP : []),
    'archive',
    `--format=${format === 'tar.gz' || isRemade ? 'tar' : format}`,
    `--prefix=${prefix}`,
    commit,
    '--',
    ...paths,
  ]
  const process = await repository.git.start(repository, args, {
    lane: 'transfer',
    memory: READING_MEMORY,
    // Each path says itself that it is literal, because git takes no exclusions otherwise.
    environment: { GIT_LITERAL_PATHSPECS: '0' },
    ...(signal && { signal }),
  })
  process.stdin.end()
  const { all } = await streamOutput(process).catch(refuse)
  if (change === undefined && (format === 'zip' || format === 'tar.bz2')) return all
  const tar = change === undefined ? all : change(all)
  if (format === 'zip') return zipOfTar(tar, commit)
  if (format === 'tar.bz2') return bzip2OfTar(repository, tar, signal)
  if (format === 'tar') return tar
  const gzip = createGzip()
  // An archive that fails half-way must not look complete: the failure destroys the stream.
  pipeline(tar, gzip, () => {})
  return gzip
}

/** Files and folders of a commit that git may archive: it holds all of them in memory first. */
const MAX_ARCHIVE_ENTRIES = 1_000_000

/** Bytes of the names of a commit whose zip this program makes: it holds them until the end. */
const MAX_NAMES = 64 * 1024 * 1024

async function assertFew(repository: Repository, commit: string, maxNames: number): Promise<void> {
  const process = await repository.git.start(repository, ['ls-tree', '-r', '-t', '-z', commit], {
    time: 30_000,
  })
  process.stdin.end()
  let count = 0
  let bytes = 0
  for await (const piece of process.output()) {
    // Each entry ends with a zero.
    for (let at = piece.indexOf(0); at >= 0; at = piece.indexOf(0, at + 1)) count += 1
    bytes += piece.length
    if (count > MAX_ARCHIVE_ENTRIES || bytes > maxNames)
      throw new TooMuchForGit(new Error(`${commit} has too many files, or names that are too long`))
  }
}

/** Names and times that git puts into no archive. Nobody can push them, but they may be in a repository that was moved here. */
const REFUSED = /invalid path '|timestamp too large|did not match any files/

function refuse(error: unknown): never {
  if (!(error instanceof GitFailed) || !REFUSED.test(error.stderr)) throw error
  throw unprocessable('422 Unprocessable Entity - git makes no archive of a commit like this')
}
