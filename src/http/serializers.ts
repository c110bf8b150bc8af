import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifySerializerCompiler } from 'fastify'

/** Compiles a route's serializer when its first answer is written: a start with many routes stays quick. */
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
