import type { Socket } from 'node:net'

/**
 * What a front door asks of the server over its local socket: lines of a name and a value, then an empty line, then whatever the
 * client sends. A shell script can write it.
 */
export type SshRequest =
  /** Whose key is it? The answer is a line for `authorized_keys`, or nothing. */
  | { readonly do: 'key'; readonly fingerprint: string }
  /** A door found that a key or an address failed to prove what it claims. */
  | { readonly do: 'failed'; readonly fingerprint: string; readonly ip: string }
  /** Runs a command of whoever has proved to have a key. */
  | {
      readonly do: 'run'
      readonly key: number
      readonly ip: string
      readonly command: string
      readonly protocol: string | undefined
    }

/** The most bytes of the lines. */
const MOST = 16_384

/** Milliseconds in which the lines must have come. */
const PATIENCE = 10_000

/** A door that does not say what it wants. */
export class NoRequest extends Error {
  override readonly name = 'NoRequest'
}

/**
 * Reads the lines of a request. What follows them stays in the socket, which is paused.
 * @throws {NoRequest}
 */
export async function readRequest(socket: Socket): Promise<SshRequest> {
  const lines = await readLines(socket)
  const values = new Map(
    lines.map((line) => {
      const blank = line.indexOf(' ')
      return blank < 0 ? ([line, ''] as const) : ([line.slice(0, blank), line.slice(blank + 1)] as const)
    }),
  )
  const fingerprint = values.get('fingerprint') ?? ''
  const ip = values.get('ip') ?? ''
  switch (values.get('do') ?? '') {
    case 'key':
      return { do: 'key', fingerprint }
    case 'failed':
      return { do: 'failed', fingerprint, ip }
    case 'run':
      return {
        do: 'run',
        key: /^\d{1,15}$/.test(values.get('key') ?? '') ? Number(values.get('key')) : 0,
        ip,
        command: values.get('command') ?? '',
        protocol: values.get('protocol'),
      }
    default:
      throw new NoRequest('there is no such request')
  }
}

const END = '\n\n'

function readLines(socket: Socket): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>()
  let bytes: Buffer = Buffer.alloc(0)
  const over = () => {
    clearTimeout(timer)
    socket.off('readable', onReadable).off('close', onClose).off('end', onClose)
  }
  const fail = (because: string) => {
    over()
    reject(new NoRequest(because))
  }
  const onClose = () => fail('the door has gone')
  const timer = setTimeout(() => fail('the request did not come in time'), PATIENCE)
  const onReadable = () => {
    for (let piece = read(socket); piece !== undefined; piece = read(socket)) {
      bytes = Buffer.concat([bytes, piece])
      const end = bytes.indexOf(END)
      if (end < 0 && bytes.length <= MOST) continue
      if (end < 0 || end > MOST) return fail('the request is too long')
      over()
      const rest = bytes.subarray(end + END.length)
      if (rest.length > 0) socket.unshift(rest)
      return resolve(bytes.toString('utf8', 0, end).split('\n'))
    }
  }
  socket.on('readable', onReadable).on('close', onClose).on('end', onClose)
  return promise
}

function read(socket: Socket): Buffer | undefined {
  const piece: unknown = socket.read()
  return Buffer.isBuffer(piece) ? piece : undefined
}
