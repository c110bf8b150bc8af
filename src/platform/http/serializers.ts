import { channel } from 'node:diagnostics_channel'
import type { FastifyReply, FastifySerializerCompiler } from 'fastify'

/** A body that is about to be written, and the schema that its route declares for it. */
export interface WrittenBody {
  readonly method: string
  readonly url: string
  readonly schema: unknown
  readonly body: unknown
}

/** Tells of every body before it is written. Tests compare bodies with their schemas; the program itself does not. */
export const writtenBodies = channel('forgelet.written-body')

/**
 * Writes bodies with the engine's own serializer. One that is made from the schema would have to be compiled, and would
 * silently change what does not fit.
 */
export const serializers: FastifySerializerCompiler<unknown> =
  ({ method, url, schema }) =>
  (body) => {
    if (writtenBodies.hasSubscribers) {
      writtenBodies.publish({ method, url, schema, body } satisfies WrittenBody)
    }
    return JSON.stringify(body)
  }

/** Sends a body that may be null. Fastify takes null for no body. */
export function sendOrNull(reply: FastifyReply, body: unknown): FastifyReply {
  return body === null
    ? reply
        .type('application/json')
        .serializer(() => 'null')
        .send(null)
    : reply.send(body)
}
