import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The operating system's lists of connections, which say how much of what was sent has not arrived. */
const LISTS = ['/proc/net/tcp', '/proc/net/tcp6'] as const

/**
 * How many bytes the operating system holds of each connection that the other side has not taken. Only Linux tells.
 * @returns nothing for connections of which it does not tell
 */
export async function unreadBytes(connections: readonly Socket[]): Promise<ReadonlyMap<Socket, number>> {
  // Those of this machine alone, by a path, are in no list.
  const wanted = new Map(
    connections.filter((one) => one.remotePort !== undefined).map((one) => [keyOf(one), one]),
  )
  const found = new Map<Socket, number>()
  for (const list of wanted.size === 0 ? [] : LISTS) {
    const text = await readFile(list, 'latin1').catch(() => '')
    for (const line of text.split('\n')) {
      const [, local = '', remote = '', , queues = ''] = line.trim().split(/\s+/, 5)
      const connection = wanted.get(`${local.slice(local.indexOf(':') + 1)} ${remote}`)
      const bytes = Number.parseInt(queues, 16)
      if (connection !== undefined && !Number.isNaN(bytes)) found.set(connection, bytes)
    }
  }
  return found
}

/** As the lists name a connection: the own port, and the other side's address and port, in hexadecimal digits. */
const keyOf = ({ localPort, remoteAddress, remotePort }: Socket): string =>
  `${portOf(localPort)} ${addressOf(remoteAddress ?? '')}:${portOf(remotePort)}`

const portOf = (port = 0): string => port.toString(16).toUpperCase().padStart(4, '0')

/** Groups of four bytes, each as a number of the processor, which has the lowest byte first. */
function addressOf(address: string): string {
  const [plain = ''] = address.split('%', 1)
  if (!ipaddr.isValid(plain)) return ''
  const bytes = Buffer.from(ipaddr.parse(plain).toByteArray())
  return bytes.swap32().toString('hex').toUpperCase()
}
