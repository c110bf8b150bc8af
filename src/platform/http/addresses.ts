import ipaddr from 'ipaddr.js'

/**
 * The network that an address counts as: the /64 of an IPv6 address, which one household or machine has to itself; an
 * IPv4 address alone.
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

/** Whether an address is in one of these addresses and ranges. A text that is no address is in none. */
export function withinRanges(ranges: readonly string[]): (ip: string) => boolean {
  const parsed = ranges.flatMap((range) => parseRange(range) ?? [])
  return (ip) => {
    if (!ipaddr.isValid(ip)) return false
    // Sockets for both kinds show IPv4 inside of IPv6; it counts as IPv4.
    const address = ipaddr.process(ip)
    return parsed.some(({ network, bits }) =>
      address instanceof ipaddr.IPv4
        ? network instanceof ipaddr.IPv4 && address.match(network, bits)
        : network instanceof ipaddr.IPv6 && address.match(network, bits),
    )
  }
}

/** A range in CIDR notation, or a single address as a range of one; undefined for anything else. */
export function parseRange(text: string): { network: ipaddr.IPv4 | ipaddr.IPv6; bits: number } | undefined {
  if (ipaddr.isValidCIDR(text)) {
    const [network, bits] = ipaddr.parseCIDR(text)
    return { network, bits }
  }
  // Without this check, 10.1 would be 10.0.0.1.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined
  const network = ipaddr.process(text)
  return { network, bits: network instanceof ipaddr.IPv4 ? 32 : 128 }
}
