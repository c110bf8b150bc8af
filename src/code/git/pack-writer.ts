import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflate, deflateSync } from 'node:zlib'
import type { ObjectType } from './processes/object-reader.ts'

const types: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 }

const deflateLarge = promisify<Buffer, Buffer>(deflate)
/** Larger objects are compressed in another thread. */
const LARGE = 64 * 1024
/** So many commits are cheaper to write one by one than by a process. */
const FEW = 3

/** The id of an object. */
export function objectId(type: ObjectType, content: Buffer): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
}

/**
 * Gathers objects that this program makes, and writes them as a pack. So they come into a repository in the same way
 * as those of a push, with the same checks.
 */
export class PackWriter {
  readonly #objects = new Map<string, { readonly type: ObjectType; readonly content: Buffer }>()

  get size(): number {
    return this.#objects.size
  }

  /** @returns the id of the object. */
  add(type: ObjectType, content: Buffer): string {
    const id = objectId(type, content)
    this.#objects.set(id, { type, content })
    return id
  }

  /** An object that was added. */
  get(id: string): Buffer | undefined {
    return this.#objects.get(id)?.content
  }

  /** The objects if they are few commits; undefined otherwise. Git need not check those: {@link addCommit} has made them. */
  fewCommits(): readonly { readonly id: string; readonly bytes: Buffer }[] | undefined {
    if (this.#objects.size > FEW) return undefined
    const all = [...this.#objects]
    if (all.some(([, { type, content }]) => type !== 'commit' || content.length > LARGE)) return undefined
    return all.map(([id, { type, content }]) => {
      const head = Buffer.from(`${type} ${content.length}\0`)
      return { id, bytes: deflateSync(Buffer.concat([head, content])) }
    })
  }

  /** The bytes of the pack (gitformat-pack(5)). */
  async *bytes(): AsyncGenerator<Buffer> {
    const hash = createHash('sha1')
    const head = Buffer.alloc(12)
    head.write('PACK')
    head.writeUInt32BE(2, 4)
    head.writeUInt32BE(this.#objects.size, 8)
    hash.update(head)
    yield head
    for (const { type, content } of this.#objects.values()) {
      const packed = content.length > LARGE ? await deflateLarge(content) : deflateSync(content)
      const bytes = Buffer.concat([entryHead(types[type], content.length), packed])
      hash.update(bytes)
      yield bytes
    }
    yield hash.digest()
  }
}

/** The type and the size, seven bits at a time after the first four. */
function entryHead(type: number, size: number): Buffer {
  const bytes: number[] = []
  let byte = (type << 4) | (size & 0x0f)
  for (let rest = Math.floor(size / 16); ; rest = Math.floor(rest / 128)) {
    bytes.push(rest > 0 ? byte | 0x80 : byte)
    if (rest === 0) return Buffer.from(bytes)
    byte = rest % 128
  }
}
