import ipaddr from 'ipaddr.js'

/** Public addresses at which machines of a cloud find services of their own provider alone. */
const OF_CLOUDS: ReadonlySet<string> = new Set(['168.63.129.16'])

const GLOBAL = ipaddr.IPv6.parse('2000::')
const GLOBAL_BITS = 3

/**
 * Whether an address is one of the internet. Private, local and reserved ones are not, nor those that contain an IPv4
 * address (mapped, NAT64, 6to4, Teredo): what they lead to is for the network to decide.
 */
export function isPublic(ip: string): boolean {
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.parse(ip)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv6) return address.match(GLOBAL, GLOBAL_BITS)
  return !OF_CLOUDS.has(address.toString())
}
