import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Router from 'find-my-way'

/** Where the API lives. */
export const API = '/api/v4'

/** Bytes of a query string: longer ones belong into a body. */
const MAX_QUERY = 8_192

export const routerOptions = {
  ignoreTrailingSlash: true,
  // One popular client sends `/features//name`.
  ignoreDuplicateSlashes: true,
  // Encoded paths of projects deep in a tree are long.
  maxParamLength: 8_192,
}

/**
 * Takes a `.json` suffix off the last segment, as clients may send it. Not off an encoded path
 * (`group%2Fapp.json`): there it is part of the name.
 */
export function withoutSuffix(url: string): string {
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  if (!path.endsWith('.json') || !path.startsWith(API)) return url
  const last = path.slice(path.lastIndexOf('/') + 1)
  return /%2f/i.test(last) ? url : path.slice(0, -'.json'.length) + (end < 0 ? '' : url.slice(end))
}

/** Whether the query string is beyond what is read: 414. */
export function queryTooLong(url: string): boolean {
  const start = url.indexOf('?')
  return start >= 0 && url.length - start > MAX_QUERY
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Answers what no route matches: 404, 405 with `Allow` when the path is known, and CORS preflights. */
export function answerUnrouted(app: FastifyInstance): void {
  const router = Router(routerOptions)
  const seen = new Set<string>()
  app.addHook('onRoute', ({ url, method }) => {
    for (const verb of METHODS.filter((name) => [method].flat().includes(name))) {
      const key = `${verb} ${url}`
      // HEAD routes are announced twice.
      if (!seen.has(key)) router.on(verb, url, () => {})
      seen.add(key)
    }
  })
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const path = withoutSuffix(request.url)
    const allowed = METHODS.filter((method) => router.find(method, path) !== null)
    reply.type('application/json').serializer((body: unknown) => JSON.stringify(body))
    if (allowed.length === 0) return reply.code(404).send({ error: '404 Not Found' })
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined) {
      return reply
        .code(204)
        .header('access-control-allow-methods', allowed.join(', '))
        .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
        .header('access-control-max-age', '86400')
        .send()
    }
    return reply.code(405).header('allow', allowed.join(', ')).send({ error: '405 Not Allowed' })
  })
}
