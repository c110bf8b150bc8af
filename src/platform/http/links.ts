import type { FastifyRequest } from 'fastify'

type RequestAddress = Pick<FastifyRequest, 'raw' | 'protocol' | 'host'>

/** Scheme and host as the client sees them, even through a trusted proxy. */
export function baseUrl(request: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  return `${request.protocol}://${request.host}`
}

/** Whether people reach this server by https, according to the request or the external URL. */
export function isSecure({ protocol, site }: Pick<FastifyRequest, 'protocol' | 'site'>): boolean {
  return protocol === 'https' || site.startsWith('https:')
}

/** The absolute URL of this request with some query parameters changed; undefined removes one. */
export function urlWith(
  request: RequestAddress,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const url = request.raw.url ?? ''
  const start = url.indexOf('?')
  const parameters = new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) parameters.delete(name)
    else parameters.set(name, value)
  }
  return `${baseUrl(request)}${start < 0 ? url : url.slice(0, start)}?${parameters.toString()}`
}

/** Clients read heads of 16 KB; several links with a long query would exceed that. */
const MAX_LINK = 10_000

/** The `Link` header for URLs by their relation, in the given order. Only `next` when all together are too long. */
export function linkHeader(urls: readonly (readonly [rel: string, url: string])[]): string {
  const links = (some: typeof urls) => some.map(([rel, url]) => `<${url}>; rel="${rel}"`).join(', ')
  const all = links(urls)
  return all.length <= MAX_LINK ? all : links(urls.filter(([rel]) => rel === 'next'))
}
