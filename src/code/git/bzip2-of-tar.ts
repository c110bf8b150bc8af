import { pipeline, type Readable } from 'node:stream'
import { READING_MEMORY } from './processes/lanes.ts'
import { streamOutput } from './processes/stream-output.ts'
import type { Repository } from './repository.ts'

/** Git starts it, so that it has the limits of all processes, and counts as one of them. */
const BZIP2 = ['-c', 'alias.bzip2=!exec bzip2 -c', 'bzip2']

/**
 * Compresses a tar archive while it is read.
 * @throws 503 when too many processes run and wait.
 */
export async function bzip2OfTar(
  repository: Repository,
  tar: Readable,
  signal: AbortSignal | undefined,
): Promise<Readable> {
  try {
    const process = await repository.git.start(repository, BZIP2, {
      lane: 'transfer',
      memory: READING_MEMORY,
      ...(signal && { signal }),
    })
    // An archive that fails half-way must not look complete.
    pipeline(tar, process.stdin, (error) => {
      if (error) process.kill(error)
    })
    const { all } = await streamOutput(process)
    return all
  } catch (error) {
    tar.destroy()
    throw error
  }
}
