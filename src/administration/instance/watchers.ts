import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { digestOf } from '#platform/access/digest.ts'
import type { Config } from '#platform/config/config.ts'
import { withinRanges } from '#platform/http/addresses.ts'

type Asking = Pick<FastifyRequest, 'headers' | 'ip' | 'ips'>

/** Headers by which proxies mark forwarded requests. */
const FORWARDING = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const

/**
 * Who may see the server's internal status: callers with the monitoring token, and the addresses in the configuration.
 */
export function watchers({
  monitoringAddresses,
  monitoringToken,
}: Pick<Config, 'monitoringAddresses' | 'monitoringToken'>): (request: Asking) => boolean {
  const isNamed = withinRanges(monitoringAddresses)
  const token = monitoringToken === undefined ? undefined : digestOf(monitoringToken)
  return (request) => {
    const shown = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token !== undefined && shown !== undefined && timingSafeEqual(digestOf(shown), token)) return true
    return hasKnownAddress(request) && isNamed(request.ip)
  }
}

/**
 * Behind an untrusted proxy, every request seems to come from the proxy, often from this very machine. The caller's
 * address is unknown then.
 */
function hasKnownAddress({ headers, ips = [] }: Asking): boolean {
  return ips.length > 1 || FORWARDING.every((name) => headers[name] === undefined)
}
