import { type KeyObject, createHash, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'

/** The types of keys that live in a device of their own. */
export type SecurityKeyType = 'sk-ssh-ed25519@openssh.com' | 'sk-ecdsa-sha2-nistp256@openssh.com'

/** Numbers of the agent protocol. */
const FAILURE = 5
const LIST = 11
const LISTED = 12
const SIGN = 13
const SIGNED = 14

const APPLICATION = 'ssh:'
/** What a device says in its signature: that somebody has touched it. */
const TOUCHED = 1

const number = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const string = (value: string | Buffer) => {
  const bytes = Buffer.from(value)
  return Buffer.concat([number(bytes.length), bytes])
}
/** A positive number of any length: its first bit must not look like a sign. */
const large = (bytes: Buffer) => {
  let begin = 0
  while (begin < bytes.length - 1 && bytes[begin] === 0) begin += 1
  const rest = bytes.subarray(begin)
  return string((rest[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), rest]) : rest)
}
const sha256 = (value: string | Buffer) => createHash('sha256').update(value).digest()

/** An agent of OpenSSH with one security key, whose device is this process. */
export class KeyAgent implements AsyncDisposable {
  readonly type: SecurityKeyType
  /** Its path is what `IdentityAgent` names. */
  readonly path: string
  /** As people add it to their account. */
  readonly publicKey: string
  readonly #blob: Buffer
  readonly #key: KeyObject
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #counter = 0

  private constructor(type: SecurityKeyType, path: string) {
    this.type = type
    this.path = path
    const { blob, key } = type.startsWith('sk-ssh-ed25519') ? ed25519(type) : ecdsa(type)
    this.#blob = blob
    this.#key = key
    this.publicKey = `${type} ${blob.toString('base64')} test`
    this.#server = createServer((socket) => this.#serve(socket))
  }

  /** Listens at a path that nothing uses yet. */
  static async open(type: SecurityKeyType, path: string): Promise<KeyAgent> {
    const agent = new KeyAgent(type, path)
    await once(agent.#server.listen(path), 'listening')
    return agent
  }

  /** How often the key has signed. */
  get signatures(): number {
    return this.#counter
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket)).on('error', () => {})
    let heard: Buffer = Buffer.alloc(0)
    socket.on('data', (piece: Buffer) => {
      heard = Buffer.concat([heard, piece])
      while (heard.length >= 4 && heard.length >= 4 + heard.readUInt32BE(0)) {
        const end = 4 + heard.readUInt32BE(0)
        socket.write(string(this.#answer(heard.subarray(4, end))))
        heard = heard.subarray(end)
      }
    })
  }

  #answer(message: Buffer): Buffer {
    if (message[0] === LIST)
      return Buffer.concat([Buffer.from([LISTED]), number(1), string(this.#blob), string('test')])
    if (message[0] !== SIGN) return Buffer.from([FAILURE])
    const [blob, data] = stringsOf(message.subarray(1))
    if (blob === undefined || data === undefined || !blob.equals(this.#blob)) return Buffer.from([FAILURE])
    return Buffer.concat([Buffer.from([SIGNED]), string(this.#sign(data))])
  }

  /** A device signs who asks, that it was touched, how often it has signed, and the digest of what it is given. */
  #sign(data: Buffer): Buffer {
    this.#counter += 1
    const said = Buffer.concat([Buffer.from([TOUCHED]), number(this.#counter)])
    const all = Buffer.concat([sha256(APPLICATION), said, sha256(data)])
    const signature =
      this.#key.asymmetricKeyType === 'ed25519'
        ? sign(null, all, this.#key)
        : pairOf(sign('sha256', all, { key: this.#key, dsaEncoding: 'ieee-p1363' }))
    return Buffer.concat([string(this.type), string(signature), said])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    const closed = once(this.#server, 'close')
    this.#server.close()
    await closed
  }
}

const pairOf = (signature: Buffer) =>
  Buffer.concat([large(signature.subarray(0, 32)), large(signature.subarray(32))])

function ed25519(type: string): { readonly blob: Buffer; readonly key: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  return { blob: Buffer.concat([string(type), string(point), string(APPLICATION)]), key: privateKey }
}

function ecdsa(type: string): { readonly blob: Buffer; readonly key: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  const parts = [string(type), string('nistp256'), string(point), string(APPLICATION)]
  return { blob: Buffer.concat(parts), key: privateKey }
}

/** The strings at the beginning of a message. */
function stringsOf(message: Buffer): readonly Buffer[] {
  const found: Buffer[] = []
  let at = 0
  while (at + 4 <= message.length) {
    const end = at + 4 + message.readUInt32BE(at)
    if (end > message.length) break
    found.push(message.subarray(at + 4, end))
    at = end
  }
  return found
}
