import { Blocks } from './tar-blocks.ts'
import { READING_MEMORY } from './processes/lanes.ts'
import type { Repository } from './repository.ts'

/** A blob whose size is known. */
export interface SizedBlob {
  readonly id: string
  readonly size: number
}

/** A blob with its bytes. Read them to their end before the next one. */
export interface BlobContent<Blob extends SizedBlob> {
  readonly blob: Blob
  readonly content: AsyncIterable<Buffer>
}

/**
 * The contents of blobs as they are stored, one after the other; one process, whatever their sizes.
 * @param signal ends it when nobody wants more
 */
export async function* blobContents<Blob extends SizedBlob>(
  repository: Repository,
  blobs: readonly Blob[],
  signal?: AbortSignal,
): AsyncGenerator<BlobContent<Blob>> {
  if (blobs.length === 0) return
  const process = await repository.git.start(repository, ['cat-file', '--batch'], {
    lane: 'transfer',
    memory: READING_MEMORY,
    ...(signal && { signal }),
  })
  // A process that ends needs no more of it.
  process.stdin.on('error', () => {})
  process.stdin.end(blobs.map(({ id }) => `${id}\n`).join(''))
  const output = new Blocks(process.output())
  for (const blob of blobs) {
    const said = `${blob.id} blob ${blob.size}\n`
    const head = await output.take(said.length)
    if (head?.toString('latin1') !== said) throw new Error(`git does not send the blob ${blob.id}`)
    yield { blob, content: output.pass(blob.size) }
    await output.take(1)
  }
}
