import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import Router from 'find-my-way'

/** The prefix of the API's paths. */
export const API = '/api/v4'

/** The maximum length of a query string in bytes. Longer ones belong in a body. */
const MAX_QUERY = 8_192

export const routerOptions = {
  ignoreTrailingSlash: true,
  // One popular client sends `/features//name`.
  ignoreDuplicateSlashes: true,
  // Encoded paths of deeply nested projects are long.
  maxParamLength: 8_192,
}

/** Whether the query string is too long to be read: 414. */
export function queryTooLong(url: string): boolean {
  const start = url.indexOf('?')
  return start >= 0 && url.length - start > MAX_QUERY
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]

/** The last segment of a route: always the same text, a number or possibly one, or any text. */
type LastSegment = 'fixed' | 'number' | 'text'

/** Knows every route, for questions about paths that Fastify's own router does not answer. */
export class KnownRoutes {
  readonly #routes = new Map<string, readonly [method: Method, url: string, last: LastSegment]>()
  #router: ReturnType<typeof Router> | undefined

  /** Records all routes that are added to the application from now on. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => {
      for (const method of METHODS.filter((name) => [route.method].flat().includes(name))) {
        // HEAD routes are announced twice.
        this.#routes.set(`${method} ${route.url}`, [method, route.url, lastSegmentOf(route)])
      }
      this.#router = undefined
    })
  }

  /** Built when it is first needed: Fastify's own router finds most paths, and a start need not wait for this one. */
  #find(method: Method, path: string) {
    if (this.#router === undefined) {
      this.#router = Router(routerOptions)
      for (const [name, url, last] of this.#routes.values()) this.#router.on(name, url, () => {}, last)
    }
    return this.#router.find(method, path)
  }

  /** The methods of the routes at a path. */
  methodsOf(path: string): Method[] {
    return METHODS.filter((method) => this.#find(method, path) !== null)
  }

  /**
   * Removes a `.json` suffix, which clients may send as a format, if the path without it belongs to a route that ends
   * in a fixed segment or a number. Elsewhere it is part of a name, as in `labels/data.json` or `group%2Fapp.json`.
   */
  withoutSuffix(method: string, url: string): string {
    const end = url.indexOf('?')
    const path = end < 0 ? url : url.slice(0, end)
    if (!path.endsWith('.json') || !path.startsWith(API)) return url
    const shorter = path.slice(0, -'.json'.length)
    const last = this.#lastSegment(method, shorter)
    const taken = last === 'fixed' || (last === 'number' && /\/\d+$/.test(shorter))
    return taken ? shorter + url.slice(path.length) : url
  }

  /**
   * Uses the route of the method, or another method's route when there is none, so that the answer is 405 rather than
   * 404.
   */
  #lastSegment(method: string, path: string): LastSegment | undefined {
    const own = METHODS.find((name) => name === method)
    for (const name of own === undefined ? METHODS : [own, ...METHODS]) {
      const found = this.#find(name, path)
      if (found !== null) return isLastSegment(found.store) ? found.store : undefined
    }
    return undefined
  }
}

function lastSegmentOf({ url, schema }: Pick<RouteOptions, 'url' | 'schema'>): LastSegment {
  const last = url.slice(url.lastIndexOf('/') + 1)
  if (!/[:*]/.test(last)) return 'fixed'
  const params: unknown = schema?.params
  const properties = propertyOf(params, 'properties')
  const types = propertyOf(propertyOf(properties, last.slice(1)), 'type')
  return [types].flat().includes('integer') ? 'number' : 'text'
}

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined

const isLastSegment = (value: unknown): value is LastSegment =>
  value === 'fixed' || value === 'number' || value === 'text'

/** Browsers are shown a page, but below the API all answers are JSON. */
const isForBrowser = ({ url, headers: { accept = '' } }: FastifyRequest): boolean =>
  accept.includes('text/html') && !url.startsWith('/api/')

/** Answers requests that match no route: 404, 405 with `Allow` when the path is known, and CORS preflights. */
export function answerUnrouted(
  app: FastifyInstance,
  routes: KnownRoutes,
  sendMissingPage: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  routes.watch(app)
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const allowed = routes.methodsOf(request.url)
    if (allowed.length === 0 && isForBrowser(request)) return sendMissingPage(request, reply)
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
