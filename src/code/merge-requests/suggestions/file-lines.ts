import { isUtf8 } from 'node:buffer'
import { readObject } from '#code/git/objects.ts'
import type { Repository } from '#code/git/repository.ts'
import { objectAt } from '#code/git/tree.ts'
import { MAX_FILE_BYTES } from './limits.ts'

/** Lines that are written anew. */
export interface NewLines {
  readonly from_line: number
  readonly to_line: number
  readonly to_content: string
}

const LINE_FEED = 0x0a

/** The lines of a text as its bytes and where each begins: a file may be nothing but ends of lines, and texts for all of them would take seconds. */
export class FileLines {
  readonly #bytes: Buffer
  /** Where each line begins, and the end. */
  readonly #starts: Uint32Array

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    let ends = 0
    for (let at = 0; at < bytes.length; at += 1) if (bytes[at] === LINE_FEED) ends += 1
    const isOpen = bytes.length > 0 && bytes.at(-1) !== LINE_FEED
    this.#starts = new Uint32Array(ends + (isOpen ? 2 : 1))
    let line = 0
    for (let at = 0; at < bytes.length; at += 1)
      if (bytes[at] === LINE_FEED) {
        line += 1
        this.#starts[line] = at + 1
      }
    if (isOpen) this.#starts[line + 1] = bytes.length
  }

  get count(): number {
    return this.#starts.length - 1
  }

  /** Some of the lines, each with its end. The first one is number 1. */
  between(from: number, to: number): string {
    return this.#bytes.toString('utf8', this.#startOf(from), this.#startOf(to + 1))
  }

  /** The bytes of the text with other lines. They do not overlap. */
  with(others: readonly NewLines[]): Buffer {
    let kept = 0
    const pieces: Buffer[] = []
    for (const { from_line, to_line, to_content } of others.toSorted((a, b) => a.from_line - b.from_line)) {
      pieces.push(this.#bytes.subarray(kept, this.#startOf(from_line)), Buffer.from(to_content))
      kept = this.#startOf(to_line + 1)
    }
    return Buffer.concat([...pieces, this.#bytes.subarray(kept)])
  }

  #startOf(line: number): number {
    return this.#starts[Math.max(line, 1) - 1] ?? this.#bytes.length
  }
}

/** How many bytes of files one request may still read. */
export class BytesLeft {
  #left: number
  #isSpent = false

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Whether more were asked for than were left. */
  get isSpent(): boolean {
    return this.#isSpent
  }

  /** @returns whether so many were left */
  take(bytes: number): boolean {
    this.#isSpent ||= bytes > this.#left
    if (this.#isSpent) return false
    this.#left -= bytes
    return true
  }
}

/**
 * The lines of a file in a commit. Undefined when there is no such file, it is too large, or it is not text that can be written back as
 * it was.
 */
export async function linesOfFile(
  repository: Repository,
  commit: string,
  path: string,
  left = new BytesLeft(MAX_FILE_BYTES),
): Promise<FileLines | undefined> {
  const found = await objectAt(repository, commit, path)
  if (found?.type !== 'blob' || found.size > MAX_FILE_BYTES || !left.take(found.size)) return undefined
  const content = (await readObject(repository, found.id, MAX_FILE_BYTES))?.content
  return content === undefined || content.includes(0) || !isUtf8(content) ? undefined : new FileLines(content)
}

/** A text with the line ends of the lines that it replaces. */
export const withEndsOf = (replaced: string, text: string): string =>
  replaced.includes('\r\n') ? text.replace(/\r?\n/g, '\r\n') : text
