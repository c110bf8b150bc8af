import type { FastifyRequest } from 'fastify'
import { badRequest } from '#platform/refusals.ts'

/** The characters of host names, addresses and ports. The URL parser decides whether they form one. */
const HOST = /^[\w.:[\]-]+$/

/** The base URL that was valid last: nearly always that of the next request, too. */
let latest = ''

/** A request without a host, as in HTTP/1.0, counts as sent to the address at which it arrived. @throws 400 */
export function assertHost({ raw, host, protocol }: FastifyRequest): void {
  if (host === '') {
    const { localAddress = '', localPort } = raw.socket
    raw.headers.host = `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
    return
  }
  const base = `${protocol}://${host}`
  if (base === latest) return
  if (!HOST.test(host) || !/^https?$/.test(protocol) || !URL.canParse(base)) {
    throw badRequest('the host is invalid')
  }
  latest = base
}
