import { type Algorithm, Digests } from './digests.ts'
import { FileTooLarge } from './errors.ts'

/** Passes bytes through. When all have passed, it has their digests and their number. */
export interface MeasuredBytes<A extends Algorithm = never> extends AsyncIterable<Uint8Array> {
  readonly digests: () => Promise<Readonly<Record<A | 'sha256', Buffer>>>
  readonly size: () => number
}

/**
 * Measures content on its way into a store.
 * @param more digests beside SHA-256
 * @throws {FileTooLarge} while it is read, at the first byte above `max`.
 */
export function measured<A extends Algorithm = never>(
  content: AsyncIterable<Uint8Array>,
  max = Number.POSITIVE_INFINITY,
  more: readonly A[] = [],
): MeasuredBytes<A> {
  const digests = new Digests<A | 'sha256'>('sha256', ...more)
  let size = 0
  let found: Promise<Readonly<Record<A | 'sha256', Buffer>>> | undefined
  async function* passing() {
    let isWhole = false
    try {
      for await (const chunk of content) {
        size += chunk.length
        if (size > max) throw new FileTooLarge(max)
        await digests.add(chunk)
        yield chunk
      }
      isWhole = true
    } finally {
      if (!isWhole) digests.giveUp()
    }
  }
  return {
    [Symbol.asyncIterator]: passing,
    digests: () => (found ??= digests.end()),
    size: () => size,
  }
}
