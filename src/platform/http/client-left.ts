import type { FastifyReply } from 'fastify'

/**
 * Aborted when the client leaves before it has its answer, or is cut because it reads too slowly (slow-readers.ts). For
 * whatever works for an answer while it is sent.
 */
export function clientOf({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) left.abort(new Error('the client left'))
  })
  return left.signal
}
