import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'

/** The digests that somebody may want of a stream. */
export type Algorithm = 'md5' | 'sha1' | 'sha256' | 'sha512'

/** Bytes that go to the thread at once. What is not longer stays here: it takes less time than another thread would. */
const PIECE = 1024 * 1024
/** Pieces of one stream that wait there. */
const MOST_PIECES = 4

/**
 * Computes digests of a long stream while it passes, in a thread of its own: the event loop has only to copy the bytes. Call {@link end} or
 * {@link giveUp} at last.
 */
export class Digests<A extends Algorithm = Algorithm> {
  readonly #algorithms: readonly A[]
  #piece = new Uint8Array(0)
  #filled = 0
  #stream: HashedStream | undefined

  constructor(...algorithms: readonly A[]) {
    this.#algorithms = algorithms
  }

  /** Adds bytes, which may be reused afterwards. Wait for it, so that a fast stream does not fill the memory. */
  async add(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      if (this.#filled === this.#piece.length) await this.#makeRoom(bytes.length - at)
      const some = bytes.subarray(at, at + this.#piece.length - this.#filled)
      this.#piece.set(some, this.#filled)
      this.#filled += some.length
      at += some.length
    }
  }

  /** The digests of everything that was added. */
  async end(): Promise<Readonly<Record<A, Buffer>>> {
    const rest = this.#piece.subarray(0, this.#filled)
    const digests =
      this.#stream === undefined
        ? this.#algorithms.map((name) => createHash(name).update(rest).digest())
        : await this.#stream.end(rest)
    return recordOf(this.#algorithms, digests)
  }

  /** Nobody wants the digests any more. */
  giveUp(): void {
    this.#stream?.giveUp()
  }

  async #makeRoom(wanted: number): Promise<void> {
    if (this.#piece.length < PIECE) {
      // Short streams need no more room than they have bytes.
      const larger = new Uint8Array(Math.min(PIECE, Math.max(wanted + this.#filled, this.#filled * 2)))
      larger.set(this.#piece.subarray(0, this.#filled))
      this.#piece = larger
      return
    }
    this.#stream ??= new HashedStream(this.#algorithms)
    await this.#stream.add(this.#piece)
    this.#piece = spare.pop() ?? new Uint8Array(PIECE)
    this.#filled = 0
  }
}

function recordOf<A extends Algorithm>(names: readonly A[], digests: readonly Buffer[]) {
  const found: Partial<Record<A, Buffer>> = {}
  for (const [index, name] of names.entries()) found[name] = digests[index]
  if (!isWhole(found, names)) throw new Error('a digest is missing')
  return found
}

const isWhole = <A extends Algorithm>(
  found: Partial<Record<A, Buffer>>,
  names: readonly A[],
): found is Record<A, Buffer> => names.every((name) => found[name] !== undefined)

/** What is sent to the thread about one stream, and what it answers to each message. */
interface Message {
  readonly id: number
  readonly algorithms: readonly Algorithm[]
  readonly bytes?: Uint8Array
  /** Whether the digests are wanted, or nothing any more. */
  readonly last?: 'end' | 'give up'
}
interface Answer {
  readonly id: number
  /** The bytes that came, of no more use. */
  readonly bytes?: Uint8Array<ArrayBuffer>
  readonly digests?: readonly Uint8Array[]
}

/** The program of the thread. It needs no other file, so that it runs wherever the program does. */
const THREAD = `
const { parentPort } = require('node:worker_threads')
const { createHash } = require('node:crypto')
const streams = new Map()
parentPort.on('message', ({ id, algorithms, bytes, last }) => {
  const hashes = streams.get(id) ?? algorithms.map((name) => createHash(name))
  if (bytes !== undefined) for (const hash of hashes) hash.update(bytes)
  if (last === undefined) streams.set(id, hashes)
  else streams.delete(id)
  const digests = last === 'end' ? hashes.map((hash) => hash.digest()) : undefined
  parentPort.postMessage({ id, bytes, digests }, bytes === undefined ? [] : [bytes.buffer])
})`

/** Pieces that were looked at already, for the next bytes: what a thread throws away stays in memory for a while. */
const spare: Uint8Array<ArrayBuffer>[] = []
const MOST_SPARE = 2 * MOST_PIECES

let serial = 0
let thread: Worker | undefined
const streams = new Map<number, HashedStream>()

/** The one thread of this process. It starts when it is first needed, and keeps no process alive. */
function startThread(): Worker {
  const worker = new Worker(THREAD, { eval: true, name: 'digests' })
  worker.unref()
  worker.on('message', ({ id, bytes, digests }: Answer) => {
    if (bytes?.length === PIECE && spare.length < MOST_SPARE) spare.push(bytes)
    streams.get(id)?.answered(digests)
  })
  const fail = (error: Error) => {
    if (thread === worker) thread = undefined
    for (const stream of streams.values()) stream.failed(error)
    streams.clear()
  }
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('the thread that computes digests has ended')))
  return worker
}

/** One stream whose bytes are in the thread. */
class HashedStream {
  readonly #id = (serial += 1)
  readonly #algorithms: readonly Algorithm[]
  readonly #waiting: { resolve: () => void; reject: (error: Error) => void }[] = []
  #pending = 0
  #digests: readonly Buffer[] | undefined
  #failure: Error | undefined

  constructor(algorithms: readonly Algorithm[]) {
    this.#algorithms = algorithms
    thread ??= startThread()
    streams.set(this.#id, this)
  }

  /** @param bytes are the thread's from now on */
  async add(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.#send({ bytes })
    while (this.#pending >= MOST_PIECES) await this.#progress()
  }

  async end(rest: Uint8Array): Promise<readonly Buffer[]> {
    this.#send({ bytes: new Uint8Array(rest), last: 'end' })
    while (this.#digests === undefined) await this.#progress()
    streams.delete(this.#id)
    return this.#digests
  }

  giveUp(): void {
    if (!streams.delete(this.#id)) return
    this.#send({ last: 'give up' })
  }

  answered(digests: readonly Uint8Array[] | undefined): void {
    this.#pending -= 1
    this.#digests = digests?.map((one) => Buffer.from(one))
    for (const { resolve } of this.#waiting.splice(0)) resolve()
  }

  failed(error: Error): void {
    this.#failure = error
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }

  #send({ bytes, ...rest }: Pick<Message, 'last'> & { readonly bytes?: Uint8Array<ArrayBuffer> }): void {
    if (this.#failure !== undefined) throw this.#failure
    const message: Message = {
      id: this.#id,
      algorithms: this.#algorithms,
      ...(bytes !== undefined && { bytes }),
      ...rest,
    }
    thread?.postMessage(message, bytes === undefined ? [] : [bytes.buffer])
    this.#pending += 1
  }

  #progress(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ resolve, reject })
    return promise
  }
}
