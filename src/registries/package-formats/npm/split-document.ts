import { PassThrough, type Readable } from 'node:stream'
import { once } from 'node:events'
import { badRequest, TooLarge } from '#platform/refusals.ts'

/** Bytes of a document without its attachments. */
const MOST_BYTES = 4 * 1024 * 1024
/** Bytes of a key, and how deep values may be in others. */
const MOST_KEY = 1_024
const MOST_DEEP = 100

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, COLON, COMMA] = [
  0x7b, 0x7d, 0x5b, 0x5d, 0x3a, 0x2c,
]

/** A document without the content of its attachment, and what became of that; undefined where there is none. */
export interface SplitDocument<Kept> {
  readonly document: unknown
  readonly kept: Kept | undefined
}

/**
 * Reads the JSON that npm publishes: a document with a file in base64 at `_attachments.<name>.data`, which may be anywhere in it. The file
 * is passed on as it comes, so that memory does not depend on its size. A second one is refused where it begins: a short document could
 * name so many that storing them takes minutes.
 * @param claim counts the bytes of the document in the memory of all requests
 * @param keep gets the bytes of the file
 * @throws 400 for what is no such document, 413 when it is too large without its file, and what `keep` throws
 */
export async function splitDocument<Kept>(
  body: Readable,
  claim: (bytes: number) => void,
  keep: (name: string, bytes: Readable) => Promise<Kept>,
): Promise<SplitDocument<Kept>> {
  const scanner = new Scanner()
  const rest: Buffer[] = []
  let kept: { readonly of: Kept } | undefined
  let size = 0
  let attachment: Attachment<Kept> | undefined
  const take = (bytes: Buffer) => {
    size += bytes.length
    if (size > MOST_BYTES) throw new TooLarge('The document is too large without its attachments.')
    claim(bytes.length)
    rest.push(bytes)
  }
  /** @returns where an attachment begins, or the end */
  const scan = (bytes: Buffer, from: number): number => {
    const end = scanner.scan(bytes, from)
    take(bytes.subarray(from, end))
    const name = scanner.attachment
    if (name === undefined) return end
    if (kept !== undefined) throw badRequest('there is more than one attachment')
    attachment = new Attachment(name, keep)
    return end
  }
  /** @returns where the attachment ends, or the end */
  const pass = async (to: Attachment<Kept>, bytes: Buffer, from: number): Promise<number> => {
    const quote = bytes.indexOf(QUOTE, from)
    const end = quote === -1 ? bytes.length : quote
    await to.write(bytes.subarray(from, end))
    if (quote === -1) return end
    kept = { of: await to.end() }
    attachment = undefined
    scanner.endAttachment()
    return end
  }
  try {
    for await (const piece of body) {
      const bytes = Buffer.from(piece)
      for (let at = 0; at < bytes.length;)
        at = attachment === undefined ? scan(bytes, at) : await pass(attachment, bytes, at)
    }
  } catch (error) {
    await attachment?.abort()
    throw error
  }
  if (attachment !== undefined) {
    await attachment.abort()
    throw unreadable()
  }
  return { document: parsed(Buffer.concat(rest)), kept: kept?.of }
}

const unreadable = () => badRequest('the body is no JSON document of a package')

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw unreadable()
  }
}

/** The bytes of one attachment on their way to whoever keeps them. */
class Attachment<Kept> {
  readonly name: string
  readonly #bytes = new PassThrough()
  readonly #kept: Promise<Kept>
  /** Characters that are no whole group of four yet. */
  #left = ''

  constructor(name: string, keep: (name: string, bytes: Readable) => Promise<Kept>) {
    this.name = name
    this.#kept = keep(name, this.#bytes)
    // Whoever waits for it gets the failure; nobody may wait when it comes.
    this.#kept.catch((error: unknown) => this.#bytes.destroy(error instanceof Error ? error : undefined))
    this.#bytes.on('error', () => {})
  }

  async write(base64: Buffer): Promise<void> {
    const text = this.#left + base64.toString('latin1')
    const whole = text.length - (text.length % 4)
    this.#left = text.slice(whole)
    const characters = text.slice(0, whole)
    if (!/^[\w+/-]*={0,2}$/.test(characters)) throw badRequest(`the attachment ${this.name} is no base64`)
    // Its keeper has given up, and says why.
    if (this.#bytes.destroyed) await this.#kept
    if (!this.#bytes.write(Buffer.from(characters, 'base64')))
      await Promise.race([once(this.#bytes, 'drain').catch(() => {}), this.#kept])
  }

  async end(): Promise<Kept> {
    if (this.#left !== '') throw badRequest(`the attachment ${this.name} is no base64`)
    this.#bytes.end()
    return this.#kept
  }

  async abort(): Promise<void> {
    this.#bytes.destroy(new Error('the upload has ended early'))
    await this.#kept.catch(() => {})
  }
}

interface Frame {
  readonly isArray: boolean
  key: string | undefined
  /** Whether the next string is a key. */
  expectsKey: boolean
}

/** Follows the structure of JSON, byte by byte, until the content of an attachment begins. */
class Scanner {
  readonly #frames: Frame[] = []
  /** The bytes of the string that it is in; undefined outside strings, empty for values. */
  #string: { readonly isKey: boolean; readonly bytes: number[] } | undefined
  #escaped = false
  #attachment: string | undefined

  /** The attachment whose content begins where the scan has ended. */
  get attachment(): string | undefined {
    return this.#attachment
  }

  /** Goes on behind the content of an attachment, with the quote that ends it. */
  endAttachment(): void {
    this.#attachment = undefined
    this.#string = { isKey: false, bytes: [] }
  }

  /** @returns where the content of an attachment begins, or the end of the bytes */
  scan(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0
      if (this.#string !== undefined) this.#inString(byte)
      else if (byte === QUOTE && this.#beginString()) return at + 1
      else this.#between(byte)
    }
    return bytes.length
  }

  /** @returns whether it is the content of an attachment */
  #beginString(): boolean {
    const isKey = this.#frames.at(-1)?.expectsKey === true
    const [top, file, inner] = this.#frames
    if (!isKey && this.#frames.length === 3 && top?.key === '_attachments' && inner?.key === 'data') {
      this.#attachment = file?.key ?? ''
      return true
    }
    this.#string = { isKey, bytes: [] }
    return false
  }

  #inString(byte: number): void {
    if (this.#string === undefined) return
    const { isKey, bytes } = this.#string
    if (byte === QUOTE && !this.#escaped) {
      const frame = this.#frames.at(-1)
      if (isKey && frame !== undefined) frame.key = textOf(bytes)
      this.#string = undefined
      return
    }
    this.#escaped = byte === BACKSLASH && !this.#escaped
    if (isKey && bytes.push(byte) > MOST_KEY) throw unreadable()
  }

  #between(byte: number): void {
    const frame = this.#frames.at(-1)
    if (byte === OPEN_OBJECT) this.#frames.push({ isArray: false, key: undefined, expectsKey: true })
    else if (byte === OPEN_ARRAY) this.#frames.push({ isArray: true, key: undefined, expectsKey: false })
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#frames.pop()
    else if (frame !== undefined && !frame.isArray && (byte === COLON || byte === COMMA))
      frame.expectsKey = byte === COMMA
    if (this.#frames.length > MOST_DEEP) throw unreadable()
  }
}

function textOf(bytes: readonly number[]): string {
  const text: unknown = parsed(Buffer.from([QUOTE, ...bytes, QUOTE]))
  return typeof text === 'string' ? text : ''
}
