import type { GitProcess } from './git-process.ts'
import { currentBudget } from '#platform/shares/caller.ts'
import { GitTimeout, ReadsTooMuch, RepositoryCorrupt } from '../errors.ts'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

/** What git knows of an object without reading it. */
export interface ObjectInfo {
  readonly id: string
  readonly type: ObjectType
  readonly size: number
}

export interface ReadObject extends ObjectInfo {
  readonly content: Buffer
}

interface Question {
  readonly name: Buffer
  /** Bytes of the content that are wanted; undefined for none. */
  readonly wanted: number | undefined
  readonly resolve: (found: ReadObject | undefined) => void
  readonly reject: (error: unknown) => void
}

const HEADER = /^([0-9a-f]{40}|[0-9a-f]{64}) (commit|tree|blob|tag) (\d+)$/
const NOTHING = Buffer.alloc(0)

/**
 * One long-lived `git cat-file --batch-command`, which answers questions about the objects of one repository in the
 * order in which they come. It sees what is added to the repository while it runs.
 */
export class ObjectReader {
  readonly #process: Promise<GitProcess>
  readonly #questions: Question[] = []
  #pieces: Buffer[] = []
  #have = 0
  /** Bytes without which there is no use in looking again; 0 while a header is awaited. */
  #need = 0
  #header: ObjectInfo | undefined
  /** Bytes that nobody wants before the next answer. */
  #unwanted = 0
  #failed: unknown

  /** @param process which may be about to start. */
  constructor(process: Promise<GitProcess>) {
    this.#process = process
    void this.#listen().then(
      () => this.#fail(new Error('git cat-file has ended')),
      (error: unknown) => this.#fail(error),
    )
  }

  async #listen(): Promise<void> {
    const { stdout, ended } = await this.#process
    stdout.on('data', (piece: Buffer) => this.#receive(piece))
    await ended
  }

  /** Whether it can be asked. */
  get alive(): boolean {
    return this.#failed === undefined
  }

  get busy(): boolean {
    return this.#questions.length > 0
  }

  /** @param name an object id, a checked reference name, or `<object id>:<path>`. @returns undefined when there is none. */
  async info(name: string): Promise<ObjectInfo | undefined> {
    return this.#counted(name, undefined)
  }

  /** The same with the content, however large: ask for the size first. @param wanted bytes of its beginning, if not everything */
  async contents(name: string, wanted = Infinity): Promise<ReadObject | undefined> {
    return this.#counted(name, wanted)
  }

  close(): void {
    const closed = new Error('git cat-file was closed')
    this.#process.then(
      (process) => process.kill(closed),
      () => {},
    )
  }

  /** Asks, at the cost of the request for which this is. */
  async #counted(name: string, wanted: number | undefined): Promise<ReadObject | undefined> {
    const budget = currentBudget()
    if (budget === undefined) return this.#ask(name, wanted)
    if (budget.left <= 0) throw new GitTimeout('cat-file')
    const rest = budget.work()
    try {
      const found = await this.#ask(name, wanted)
      if (found !== undefined && !budget.take(found.content.length)) throw new ReadsTooMuch()
      return found
    } finally {
      rest()
    }
  }

  #ask(name: string, wanted: number | undefined): Promise<ReadObject | undefined> {
    if (name.includes('\0')) return Promise.resolve(undefined)
    if (this.#failed !== undefined) return Promise.reject(this.#failed)
    return new Promise((resolve, reject) => {
      const bytes = Buffer.from(name)
      this.#questions.push({ name: bytes, wanted, resolve, reject })
      const line = Buffer.concat([
        Buffer.from(wanted === undefined ? 'info ' : 'contents '),
        bytes,
        Buffer.from('\0'),
      ])
      this.#process.then(
        ({ stdin }) => stdin.write(line),
        () => {},
      )
    })
  }

  #receive(received: Buffer): void {
    const piece = this.#skip(received)
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.#have += piece.length
    if (this.#have < this.#need) return
    let all = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces)
    for (;;) {
      const rest = this.#take(all)
      if (rest === undefined) break
      all = rest
    }
    this.#pieces = all.length === 0 ? [] : [all]
    this.#have = all.length
  }

  /** @returns what follows the bytes that nobody wants */
  #skip(bytes: Buffer): Buffer {
    const skipped = Math.min(this.#unwanted, bytes.length)
    this.#unwanted -= skipped
    return bytes.subarray(skipped)
  }

  /** Takes one step of an answer. @returns what follows it; undefined when more bytes are needed. */
  #take(bytes: Buffer): Buffer | undefined {
    const [question] = this.#questions
    if (question === undefined || bytes.length === 0) return undefined
    if (this.#header !== undefined) return this.#takeContent(bytes, question, this.#header)
    // The names that git repeats may hold line breaks.
    const repeats = bytes.subarray(0, question.name.length).equals(question.name)
    const end = bytes.indexOf(0x0a, repeats ? question.name.length : 0)
    if (end < 0) return undefined
    const line = bytes.toString('latin1', 0, end)
    const rest = bytes.subarray(end + 1)
    const match = HEADER.exec(line)
    if (match === null) {
      this.#answer(question, isAbsent(line) ? undefined : new RepositoryCorrupt(new Error(line)))
      return rest
    }
    const [, id = '', type, size] = match
    const info = { id, type: asType(type), size: Number(size) }
    if (question.wanted === undefined) {
      this.#answer(question, { ...info, content: NOTHING })
      return rest
    }
    this.#header = info
    this.#need = Math.min(info.size, question.wanted)
    return rest
  }

  #takeContent(bytes: Buffer, question: Question, header: ObjectInfo): Buffer | undefined {
    const taken = this.#need
    if (bytes.length < taken) return undefined
    this.#header = undefined
    this.#need = 0
    // A line break follows the content.
    this.#unwanted = header.size - taken + 1
    this.#answer(question, { ...header, content: bytes.subarray(0, taken) })
    return this.#skip(bytes.subarray(taken))
  }

  #answer(question: Question, found: ReadObject | Error | undefined): void {
    this.#questions.shift()
    if (found instanceof Error) question.reject(found)
    else question.resolve(found)
  }

  #fail(error: unknown): void {
    this.#failed ??= error
    for (const question of this.#questions.splice(0)) question.reject(error)
  }
}

const isAbsent = (line: string): boolean => / (?:missing|ambiguous)$/.test(line)

function asType(text: string | undefined): ObjectType {
  if (text === 'commit' || text === 'tree' || text === 'blob' || text === 'tag') return text
  throw new Error(`git knows an object of the type ${text ?? ''}`)
}
