import ipaddr from 'ipaddr.js'

/**
 * The network that an address counts as: of IPv6 the /64, which one household or machine has to itself, of IPv4 the
 * address alone.
 */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (!(address instanceof ipaddr.IPv6)) return address.toString()
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/** Whether an address is in one of these addresses and ranges. What is neither is in none. */
export function withinRanges(ranges: readonly string[]): (ip: string) => boolean {
  const parsed = ranges.flatMap((range) => parseRange(range) ?? [])
  return (ip) => {
    if (!ipaddr.isValid(ip)) return false
    // IPv4 inside of IPv6, as sockets for both have it, is IPv4.
    const address = ipaddr.process(ip)
    return parsed.some(({ network, bits }) =>
      address instanceof ipaddr.IPv4
        ? network instanceof ipaddr.IPv4 && address.match(network, bits)
        : network instanceof ipaddr.IPv6 && address.match(network, bits),
    )
  }
}

/** A range in CIDR notation, or a single address as the range of it alone; undefined for anything else. */
export function parseRange(text: string): { network: ipaddr.IPv4 | ipaddr.IPv6; bits: number } | undefined {
  if (ipaddr.isValidCIDR(text)) {
    const [network, bits] = ipaddr.parseCIDR(text)
    return { network, bits }
  }
  // Without this, 10.1 would be 10.0.0.1.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined
  const network = ipaddr.process(text)
  return { network, bits: network instanceof ipaddr.IPv4 ? 32 : 128 }
}
