import { connect, type Socket } from 'node:net'

/** The key of somebody, as the server knows it. */
export interface KeyLine {
  readonly id: string
  /** Type and key in base64. */
  readonly text: string
}

/** Milliseconds that the server has for a short answer. */
const PATIENCE = 10_000
/** The most bytes of one. */
const MOST = 16_384

/** Opens a connection to the server and writes the lines of a request. Line breaks in values become blanks. */
export function ask(path: string, lines: Readonly<Record<string, string>>): Socket {
  const socket = connect({ path, allowHalfOpen: true })
  const text = Object.entries(lines).map(([name, value]) => `${name} ${value.replace(/[\r\n\0]+/g, ' ')}\n`)
  socket.write(`${text.join('')}\n`)
  return socket
}

/** The whole answer to a short request. @throws when there is none in time */
export async function answerTo(path: string, lines: Readonly<Record<string, string>>): Promise<string> {
  const socket = ask(path, lines)
  socket.setTimeout(PATIENCE, () => socket.destroy(new Error('the server does not answer')))
  socket.end()
  let text = ''
  for await (const piece of socket) {
    text += String(piece)
    if (text.length > MOST) throw new Error('the answer is too long')
  }
  return text
}

/** Finds a key by its SHA-256. */
export async function keyOf(path: string, fingerprint: string): Promise<KeyLine | undefined> {
  const answer = await answerTo(path, { do: 'key', fingerprint })
  const [, id, text] = /^(\d+) (\S+ \S+)\n$/.exec(answer) ?? []
  return id === undefined || text === undefined ? undefined : { id, text }
}

/**
 * Tells that a key, or an address without one, did not prove what it claims.
 * @returns the seconds in which nothing more is heard from this address; mostly 0
 */
export async function tellFailure(
  path: string,
  { fingerprint, ip }: { readonly fingerprint: string; readonly ip: string },
): Promise<number> {
  const answer = await answerTo(path, { do: 'failed', fingerprint, ip })
  return Number(/^refuse (\d{1,5})\n$/.exec(answer)?.[1] ?? 0)
}
