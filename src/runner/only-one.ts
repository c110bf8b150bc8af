import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { realpath } from 'node:fs/promises'
import { createServer } from 'node:net'

/**
 * Makes sure that one process alone works in a folder. The name of a socket, which is no file, goes with the process that has it,
 * however that ends.
 * @returns undefined where another process has it; otherwise what gives it back
 */
export async function takeFolder(folder: string): Promise<AsyncDisposable | undefined> {
  const name = createHash('sha256')
    .update(await realpath(folder))
    .digest('hex')
    .slice(0, 32)
  const server = createServer((socket) => socket.destroy())
  server.listen(`\0forgelet-runner-${name}`)
  try {
    await once(server, 'listening')
  } catch {
    return undefined
  }
  server.unref()
  return {
    [Symbol.asyncDispose]: async () => {
      server.close()
      await once(server, 'close')
    },
  }
}
