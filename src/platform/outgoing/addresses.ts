import ipaddr from 'ipaddr.js'

/** Where machines of clouds find what their provider tells them alone, such as credentials. */
const METADATA: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
])

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
  return !METADATA.has(address.toString())
}

const LINK_LOCAL = ipaddr.IPv4.parse('169.254.0.0')

/**
 * Whether an address is one at which clouds tell their machines secrets, also when it is inside one of IPv6 (mapped, NAT64,
 * 6to4).
 */
export function isMetadataService(ip: string): boolean {
  if (!ipaddr.isValid(ip)) return false
  const address = insideOf(ipaddr.process(ip))
  return METADATA.has(address.toString()) || (address instanceof ipaddr.IPv4 && address.match(LINK_LOCAL, 16))
}

function insideOf(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (address instanceof ipaddr.IPv4) return address
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === 'rfc6052') return new ipaddr.IPv4(bytes.slice(12))
  return range === '6to4' ? new ipaddr.IPv4(bytes.slice(2, 6)) : address
}
