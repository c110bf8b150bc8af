import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from './errors.ts'
import { badRequest, TooLarge, unavailable } from '#platform/refusals.ts'
import { atPace } from './at-pace.ts'
import type { Pace } from './transport.ts'

/** Whether a request announces a body, which may still be empty. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

const tooLarge = () => new TooLarge()
const endedEarly = () => badRequest('the body ended early')
/** The rest of the body may never come, so the connection ends with this answer. */
const tooSlow = () => new HttpError(408, { message: '408 Request Timeout' }, { connection: 'close' })

/**
 * The bytes of a body as they arrive, requested one piece at a time, so that a slow reader slows the sender down.
 * @throws 408 for a sender that is slower than the pace allows, 400 when the connection ends before the body does.
 */
export async function* bytesOf(
  { raw }: Pick<FastifyRequest, 'raw'>,
  reply: Pick<FastifyReply, 'raw'>,
  pace: Pace,
): AsyncGenerator<Buffer> {
  if (!hasBody(raw)) return
  if (raw.headers.expect !== undefined) reply.raw.writeContinue()
  // Destroying the request would end the connection, and the answer with it.
  const pieces = raw.iterator({ destroyOnReturn: false })
  try {
    yield* atPace(pieces, pace, tooSlow)
  } catch (error) {
    throw isAborted(error) ? endedEarly() : error
  }
}

const isAborted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET'

/**
 * Passes bytes on up to a limit, and counts them in the memory of all bodies until the request is over.
 * @throws 413 past the limit, at once when the request states its length; 503 when the memory is full.
 */
export async function* limited(
  bytes: AsyncIterable<Buffer>,
  { headers }: Pick<FastifyRequest, 'headers'>,
  limit: number,
  claim: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge()
  let total = 0
  for await (const piece of bytes) {
    total += piece.length
    if (total > limit) throw tooLarge()
    claim(piece.length)
    yield piece
  }
}

/** The requests that use the memory now release it within seconds. */
const full = () => unavailable('too many requests are being read', 2)

/** Counts the bytes of bodies in memory, of all requests together. */
export class BodyMemory {
  readonly #most: number
  #used = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Bytes in use. */
  get used(): number {
    return this.#used
  }

  /**
   * Counts for one request, until its answer is sent or its connection has ended.
   * @returns a function that takes more bytes. It throws 503 when all are in use.
   */
  for(answer: ServerResponse): (bytes: number) => void {
    let claimed = 0
    let over = false
    answer.once('close', () => {
      over = true
      this.#used -= claimed
    })
    return (bytes) => {
      if (over) throw endedEarly()
      if (this.#used + bytes > this.#most) throw full()
      this.#used += bytes
      claimed += bytes
    }
  }
}
