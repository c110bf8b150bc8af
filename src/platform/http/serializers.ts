import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyReply, FastifySerializerCompiler } from 'fastify'

/** Compiles a route's serializer with its first answer, so that a start with many routes stays quick. */
export function lazySerializers(): FastifySerializerCompiler<unknown> {
  const compile = SerializerSelector()({}, {})
  return (route) => {
    let serialize: ((data: unknown) => string) | undefined
    return (data) => {
      serialize ??= compile({ ...route, httpStatus: route.httpStatus ?? '' })
      return serialize(data)
    }
  }
}

/** Sends a body that may be null. Fastify takes null for no body, and serializers of objects cannot write it. */
export function sendOrNull(reply: FastifyReply, body: unknown): FastifyReply {
  return body === null
    ? reply
        .type('application/json')
        .serializer(() => 'null')
        .send(null)
    : reply.send(body)
}
