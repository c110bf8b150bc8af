import type { Pace } from './transport.ts'

/**
 * Pieces as they arrive, asked for one at a time, so that a slow reader slows the sender down.
 * @throws what {@link tooSlow} makes, for a sender that is slower than the pace allows
 */
export async function* atPace(
  pieces: AsyncIterator<Buffer>,
  pace: Pace,
  tooSlow: () => Error,
): AsyncGenerator<Buffer> {
  let allowed = pace.wait
  try {
    for (;;) {
      // Real time, even where a test fixes the clock, because it measures the network.
      const asked = performance.now()
      const next = await within(Math.min(pace.idle, allowed), pieces.next())
      if (next === undefined) throw tooSlow()
      if (next.done === true) return
      const piece = next.value
      const left = allowed - (performance.now() - asked)
      allowed = Math.min(pace.wait, left + (piece.length / pace.bytesPerSecond) * 1000)
      yield piece
    }
  } finally {
    // Releases what they come from, so that other code can read the rest. Nothing waits for a piece that never comes.
    void pieces.return?.()
  }
}

/** The result of the work; undefined when it takes longer. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, milliseconds), undefined)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
