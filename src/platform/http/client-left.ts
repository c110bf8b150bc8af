import type { FastifyReply, FastifyRequest } from 'fastify'

/** Milliseconds without a byte in either direction after which a transfer is given up. */
const STALLED = 10 * 60_000

/** Aborted when the client leaves before it has its answer, or stops reading or sending. For long transfers. */
export function clientOf({ raw }: FastifyRequest, reply: FastifyReply): AbortSignal {
  const left = new AbortController()
  const { socket } = raw
  const onStall = () => socket.destroy()
  socket.setTimeout(STALLED).on('timeout', onStall)
  reply.raw.once('close', () => {
    socket.off('timeout', onStall)
    // Node.js has a limit of its own for connections that wait for the next request.
    if (socket.timeout === STALLED) socket.setTimeout(0)
    if (!reply.raw.writableFinished) left.abort(new Error('the client left'))
  })
  return left.signal
}
