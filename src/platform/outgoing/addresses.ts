import ipaddr from 'ipaddr.js'

/** Where machines of clouds find what their provider tells them alone, such as credentials. */
const METADATA: ReadonlySet<string> = new Set([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
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

/** Whether an address is one at which clouds tell their machines secrets, also when it is written as one of IPv6. */
export const isMetadataService = (ip: string): boolean =>
  ipaddr.isValid(ip) && METADATA.has(ipaddr.process(ip).toString())
