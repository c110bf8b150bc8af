import { type Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Repository } from './repository.ts'

export interface ArchiveOptions {
  readonly format: 'tar' | 'zip' | 'tar.gz'
  /** The folder in the archive that holds everything, such as `hello-main-1a2b3c/`. */
  readonly prefix: string
  /** A file or folder from the root; by default everything. */
  readonly path?: string
  /** Ends the process when the client leaves. */
  readonly signal?: AbortSignal
}

/**
 * Streams an archive of a commit. The same commit gives the same bytes.
 * @throws before the first byte when the archive cannot be made.
 */
export async function archive(
  repository: Repository,
  commit: string,
  { format, prefix, path, signal }: ArchiveOptions,
): Promise<Readable> {
  const paths = path === undefined || path === '' ? [] : [path]
  const args = [
    'archive',
    `--format=${format === 'tar.gz' ? 'tar' : format}`,
    `--prefix=${prefix}`,
    commit,
    '--',
    ...paths,
  ]
  const process = await repository.git.start(repository, args, {
    lane: 'transfer',
    ...(signal && { signal }),
  })
  process.stdin.end()
  // An archive that fails half-way must not look complete.
  process.ended.catch((error: unknown) => process.stdout.destroy(asError(error)))
  if (format !== 'tar.gz') return process.stdout
  const gzip = createGzip()
  process.stdout.on('error', (error) => gzip.destroy(error))
  gzip.on('close', () => process.kill())
  return process.stdout.pipe(gzip)
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
