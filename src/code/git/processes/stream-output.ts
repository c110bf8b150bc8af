import { Readable } from 'node:stream'
import type { GitProcess } from './git-process.ts'

/** What a process writes, while it writes it. */
export interface StreamedOutput {
  /** The first bytes; none when there is no output. */
  readonly first: Buffer
  /** Everything, the first bytes included. It fails when the process does, so that no failure looks like an end. */
  readonly all: Readable
  /** Ends the process of which nobody reads more. */
  readonly end: () => void
}

/**
 * Waits for the first bytes of a process, so that a failure at once can still be answered as one.
 * @throws what the failure means.
 */
export async function streamOutput(process: GitProcess): Promise<StreamedOutput> {
  const pieces = process.output()
  const begin = await pieces.next()
  async function* all(): AsyncGenerator<Buffer> {
    if (begin.done === true) return
    yield begin.value
    yield* pieces
  }
  return {
    first: begin.done === true ? Buffer.alloc(0) : begin.value,
    all: Readable.from(all(), { objectMode: false }),
    end: () => process.kill(),
  }
}
