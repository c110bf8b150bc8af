import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/**
 * Copies a stream to a connection, each piece as one chunk of HTTP/1.1 (RFC 9112 §7.1), without the last chunk. It ends
 * when everything is written, or as soon as the connection is closed.
 */
export async function copyInChunks(from: Readable, to: Socket): Promise<void> {
  // A connection that is closed already says so no more.
  if (to.destroyed) {
    from.destroy()
    return
  }
  let goOn = (): void => {}
  const onClose = (): void => {
    from.destroy()
    goOn()
  }
  to.once('close', onClose)
  try {
    for await (const piece of from) {
      if (!Buffer.isBuffer(piece)) continue
      to.cork()
      to.write(`${piece.length.toString(16)}\r\n`)
      to.write(piece)
      const hasRoom = to.write('\r\n')
      to.uncork()
      if (hasRoom) continue
      if (to.destroyed) break
      await new Promise<void>((resolve) => {
        goOn = resolve
        to.once('drain', resolve)
      })
    }
    await new Promise((resolve) => void to.write('', resolve))
  } catch {
    // The connection is closed, or the stream with it. Whoever waits for the answer learns it there.
  } finally {
    to.off('close', onClose)
  }
}
