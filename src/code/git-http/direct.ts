import { once } from 'node:events'
import { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GitProcess } from '#code/git/processes/git-process.ts'
import { isWrittenByGit, tellsProgress } from '#code/git-transport/written-by-git.ts'
import type { Destination } from '#platform/processes/starter.ts'

/**
 * Large answers go from git to the client without passing through this process. Each megabyte that passes through is
 * garbage, and collecting it takes a third of the time of a clone, in which nobody else is answered.
 */

/** The most of a request that is read before its answer begins. Only few clients have that much to say. */
const SMALL = 1024 * 1024

/** A body that was read whole; or a stream of it, when it is large. */
export async function readSmall(body: Readable): Promise<Buffer | Readable> {
  const pieces: Buffer[] = []
  let size = 0
  const bytes = body[Symbol.asyncIterator]()
  for (let next = await bytes.next(); next.done !== true; next = await bytes.next()) {
    pieces.push(next.value)
    size += pieces.at(-1)?.length ?? 0
    if (size > SMALL) return Readable.from(joined(pieces, bytes), { objectMode: false })
  }
  return Buffer.concat(pieces)
}

async function* joined(pieces: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* pieces
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
}

/**
 * Whether a process can write to the connection of a request itself. An answer gets the
 * connection when those to earlier requests on it are sent.
 */
export const isDirect = ({ raw }: FastifyRequest, reply: FastifyReply): boolean =>
  tellsProgress &&
  raw.socket instanceof Socket &&
  !('encrypted' in raw.socket) &&
  reply.raw.socket === raw.socket

/**
 * Sends the head of an answer, and lets a process write its body: in chunks, or up to the end of the connection for
 * clients of HTTP/1.0. When the process fails after the head, the connection breaks, so that no answer looks complete.
 * @param start starts the process. It calls `begin` for the connection, as soon as nothing refuses the request any more.
 */
export async function sendDirectly(
  request: FastifyRequest,
  reply: FastifyReply,
  start: (begin: () => Promise<Destination>) => Promise<GitProcess>,
): Promise<void> {
  const { raw } = reply
  const { socket } = request.raw
  let handBack = (): void => {}
  try {
    const git = await start(async () => {
      if (socket.destroyed) throw new ClientLeft()
      reply.hijack()
      raw.writeHead(200, { ...definedHeaders(reply), 'x-request-id': request.id })
      raw.flushHeaders()
      // The head must be out before the process writes.
      await new Promise((resolve) => void socket.write('', resolve))
      // Writing is how a client is noticed that has broken the connection.
      if (socket.destroyed) throw new ClientLeft()
      return { connection: socket, as: raw.chunkedEncoding ? 'chunked' : 'plain' }
    })
    handBack = isWrittenByGit(socket, git)
    await git.ended
    raw.end()
    if (!raw.closed && !raw.writableFinished) await Promise.race([once(raw, 'finish'), once(raw, 'close')])
  } catch (error) {
    // Before its head is sent, an answer can still be one of an error.
    if (!raw.headersSent) throw error
    const hasLeft = socket.destroyed
    socket.destroy()
    if (!hasLeft) request.log.warn({ err: error }, 'git failed while it answered')
  } finally {
    handBack()
  }
}

/** Nobody waits for the answer any more. */
class ClientLeft extends Error {
  override readonly name = 'ClientLeft'
}

function definedHeaders(reply: FastifyReply): Record<string, string | number | string[]> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}
