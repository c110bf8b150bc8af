/** The types of packets and subpackets of RFC 9580 that say who signed. */
const SIGNATURE = 2
const ISSUER = 16
const ISSUER_FINGERPRINT = 33

/** The id of the key that an OpenPGP signature names, in 16 digits. Undefined when it names none. */
export function pgpKeyId(bytes: Buffer): string | undefined {
  try {
    const packet = firstPacket(bytes)
    // A key of version 6 begins with its id; signatures with such keys are not in use by git's clients.
    if (packet?.type !== SIGNATURE || packet.body[0] !== 4) return undefined
    const { body } = packet
    const hashed = body.readUInt16BE(4)
    const unhashed = body.readUInt16BE(6 + hashed)
    const parts = [
      ...subpacketsOf(body.subarray(6, 6 + hashed)),
      ...subpacketsOf(body.subarray(8 + hashed, 8 + hashed + unhashed)),
    ]
    const of = (type: number) => parts.find((part) => part.type === type)?.body
    const id = of(ISSUER_FINGERPRINT)?.subarray(-8) ?? of(ISSUER)
    return id?.length === 8 ? id.toString('hex').toUpperCase() : undefined
  } catch (error) {
    // It ends too early.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

interface Part {
  readonly type: number
  readonly body: Buffer
}

function firstPacket(bytes: Buffer): Part | undefined {
  const head = bytes.readUInt8(0)
  if ((head & 0x80) === 0) return undefined
  if ((head & 0x40) === 0x40) {
    const { length, at } = lengthAt(bytes, 1)
    return { type: head & 0x3f, body: bytes.subarray(at, at + length) }
  }
  const size = [1, 2, 4][head & 3]
  if (size === undefined) return undefined
  const length = bytes.readUIntBE(1, size)
  return { type: (head >> 2) & 0xf, body: bytes.subarray(1 + size, 1 + size + length) }
}

function* subpacketsOf(bytes: Buffer): Generator<Part> {
  for (let next = 0; next < bytes.length;) {
    const { length, at } = lengthAt(bytes, next)
    if (length === 0) return
    yield { type: bytes.readUInt8(at) & 0x7f, body: bytes.subarray(at + 1, at + length) }
    next = at + length
  }
}

/** A length in one, two or five bytes, and where what it counts begins. */
function lengthAt(bytes: Buffer, at: number): { readonly length: number; readonly at: number } {
  const first = bytes.readUInt8(at)
  if (first < 192) return { length: first, at: at + 1 }
  if (first < 255) return { length: ((first - 192) << 8) + bytes.readUInt8(at + 1) + 192, at: at + 2 }
  return { length: bytes.readUInt32BE(at + 1), at: at + 5 }
}
