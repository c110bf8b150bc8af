import type { FastifyRequest } from 'fastify'

type Asked = Pick<FastifyRequest, 'raw' | 'protocol' | 'host'>

/** Scheme and host as the client sees them, also behind a trusted proxy. */
export function baseUrl(request: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  return `${request.protocol}://${request.host}`
}

/** The absolute URL of this request with some query parameters set; undefined takes one away. */
export function sameUrlWith(request: Asked, changes: Readonly<Record<string, string | undefined>>): string {
  const [path = '', query = ''] = (request.raw.url ?? '').split('?')
  const parameters = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) parameters.delete(name)
    else parameters.set(name, value)
  }
  return `${baseUrl(request)}${path}?${parameters.toString()}`
}

/** The `Link` header for URLs by their relation, in the order given. */
export function linkHeader(urls: readonly (readonly [rel: string, url: string])[]): string {
  return urls.map(([rel, url]) => `<${url}>; rel="${rel}"`).join(', ')
}
