import { createHash } from 'node:crypto'
import { FileTooLarge } from './errors.ts'

/** Passes bytes through. Afterwards it has their digest and their number. */
export interface MeasuredBytes extends AsyncIterable<Uint8Array> {
  readonly digest: () => Buffer
  readonly size: () => number
}

/**
 * Measures content on its way into a store.
 * @throws {FileTooLarge} while it is read, at the first byte above `max`.
 */
export function measured(content: AsyncIterable<Uint8Array>, max = Number.POSITIVE_INFINITY): MeasuredBytes {
  const hash = createHash('sha256')
  let size = 0
  let digest: Buffer | undefined
  async function* passing() {
    for await (const chunk of content) {
      size += chunk.length
      if (size > max) throw new FileTooLarge(max)
      hash.update(chunk)
      yield chunk
    }
  }
  return {
    [Symbol.asyncIterator]: passing,
    digest: () => (digest ??= hash.digest()),
    size: () => size,
  }
}
