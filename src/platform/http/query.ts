import type { FastifyRequest } from 'fastify'
import { parameters } from './body-kind.ts'
import { readQuery } from './bodies.ts'
import { HttpError } from './errors.ts'
import { queryTooLong } from './routing.ts'

/**
 * Reads the query, and treats an empty content type as none.
 * @throws 414, and 400 for names that contradict each other
 */
export function readQueryOf(request: FastifyRequest): void {
  const url = request.raw.url ?? ''
  if (queryTooLong(url)) throw new HttpError(414, { message: '414 URI Too Long' })
  const query = queryOf(url)
  const { body = parameters } = request.routeOptions.config
  request.query =
    query === undefined ? {} : readQuery(query, body.as === 'parameters' ? body.names : 'nested')
  if (request.headers['content-type']?.trim() === '') delete request.headers['content-type']
}

/** The query string of a URL; undefined where it has none. */
export function queryOf(url: string): string | undefined {
  const start = url.indexOf('?')
  return start < 0 ? undefined : url.slice(start + 1)
}
