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
