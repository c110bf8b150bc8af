import { domainToASCII } from 'node:url'
import { parseRange, withinRanges } from '#platform/http/addresses.ts'

/** Where a request wants to go. An IPv6 address has no brackets. */
export interface OutgoingTarget {
  readonly host: string
  readonly port: number
}

/** A name as it is compared: without case, without the dot at the end, international letters as in the DNS. */
export const comparable = (host: string): string =>
  domainToASCII(host.replace(/\.$/, '')) || host.toLowerCase()

/** What an administrator has allowed: whether it covers an address that the host of a target resolves to. */
export type Allowlist = (target: OutgoingTarget, address: string) => boolean

/**
 * Reads entries such as `10.1.2.3`, `10.0.0.0/8`, `fd00::/8`, `[fd00::1]:8080`, `git.example.com` and
 * `git.example.com:3000`. An entry that is none of these allows nothing.
 */
export function readAllowlist(entries: readonly string[]): Allowlist {
  const rules = entries.map((entry) => readEntry(entry.trim()))
  return (target, address) => rules.some((covers) => covers(target, address))
}

function readEntry(text: string): Allowlist {
  const { host, port } = partsOf(text)
  const onPort = (target: OutgoingTarget) => port === undefined || port === target.port
  if (parseRange(host) !== undefined) {
    const isInside = withinRanges([host])
    return (target, address) => onPort(target) && isInside(address)
  }
  const name = comparable(host)
  return (target) => name !== '' && onPort(target) && comparable(target.host) === name
}

function partsOf(text: string): { readonly host: string; readonly port: number | undefined } {
  if (parseRange(text) !== undefined) return { host: text, port: undefined }
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  return { host: bracketed ?? plain ?? '', port: digits === undefined ? undefined : Number(digits) }
}
