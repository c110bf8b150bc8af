import { readExisting } from './objects.ts'
import type { Repository } from './repository.ts'
import { objectAt, parseTree, prefixOf, present, readLine, type TreeEntry } from './tree.ts'

/** An entry of a list. The same file may be there several times: `earlier` counts those before it. */
export interface EntryMark {
  readonly id: string
  readonly earlier: number
}

export interface TreePageOptions {
  /** From the root; by default everything. */
  readonly path?: string
  /** Whether to list all folders below, too. */
  readonly recursive: boolean
  readonly skip: number
  readonly limit: number
  /** Begins after this entry, instead of skipping. */
  readonly after?: EntryMark
  /** How far to count when the page is full. */
  readonly count?: number
}

export interface TreePage {
  readonly entries: readonly TreeEntry[]
  /** The last entry on the page, to continue after it. */
  readonly last: EntryMark | undefined
  readonly more: boolean
  /** How many entries there are; beyond `count`, as many as were looked at. */
  readonly total: number
  /** Whether `after` is not in the list. */
  readonly isLost: boolean
}

/** The longest list that is walked to find where a page begins. */
const LONGEST_WALK = 1_000_000

/**
 * One page of a folder. Without what is below it, folders come first, then files, then submodules, each in git's
 * order. With it, everything comes in git's order; one process, which ends as soon as nothing more matters.
 * @returns undefined when there is no such folder.
 */
export async function pageOfTree(
  repository: Repository,
  root: string,
  options: TreePageOptions,
): Promise<TreePage | undefined> {
  const { path = '', recursive } = options
  const tree = await objectAt(repository, root, path)
  if (tree?.type !== 'tree') return undefined
  const prefix = prefixOf(path)
  if (recursive) {
    const page = new Page(options, 'latin1')
    await walkBelow(repository, tree.id, page)
    return page.result((line) => readLine(line, prefix))
  }
  const page = new Page(options, 'hex')
  walkFolder(await readExisting(repository, tree.id, 'tree'), page)
  return page.result((bytes) => parseTree(bytes).map((entry) => present(entry, prefix))[0])
}

/** Keeps the entries of a page while a list passes by. Reads no more of the others than it must. */
class Page {
  readonly #options: TreePageOptions
  readonly #encoding: 'latin1' | 'hex'
  readonly #mark: Buffer | undefined
  readonly #kept: Buffer[] = []
  readonly #ids: IdLog
  #isBegun: boolean
  #left: number
  #passed = 0
  #earlier = 0
  #more = false

  constructor(options: TreePageOptions, encoding: 'latin1' | 'hex') {
    this.#options = options
    this.#encoding = encoding
    this.#ids = new IdLog(encoding === 'hex' ? 20 : 40)
    this.#mark = options.after && Buffer.from(options.after.id, encoding)
    this.#isBegun = options.after === undefined
    this.#left = options.after === undefined ? options.skip : 0
  }

  /** Whether nothing that follows matters. */
  get isOver(): boolean {
    return (this.#more && this.#passed > (this.#options.count ?? 0)) || this.#passed >= LONGEST_WALK
  }

  /** @param idAt where in the bytes of the entry its id begins. */
  pass(entry: Buffer, idAt: number): void {
    this.#passed += 1
    if (this.#more) return
    if (!this.#isBegun) this.#lookForMark(entry, idAt)
    else if (this.#left > 0) this.#left -= 1
    else if (this.#kept.length < this.#options.limit) this.#kept.push(Buffer.from(entry))
    else {
      this.#more = true
      return
    }
    this.#ids.add(entry, idAt)
  }

  result(read: (entry: Buffer) => TreeEntry | undefined): TreePage {
    const entries = this.#kept.flatMap((entry) => read(entry) ?? [])
    const last = entries.at(-1)
    return {
      entries,
      last: last && { id: last.id, earlier: this.#ids.count(Buffer.from(last.id, this.#encoding)) - 1 },
      more: this.#more,
      total: this.#passed,
      isLost: !this.#isBegun,
    }
  }

  #lookForMark(entry: Buffer, idAt: number): void {
    const { after } = this.#options
    if (after === undefined || this.#mark?.compare(entry, idAt, idAt + this.#mark.length) !== 0) return
    if (this.#earlier === after.earlier) this.#isBegun = true
    this.#earlier += 1
  }
}

/** The ids that passed by, to count one of them at the end. */
class IdLog {
  readonly #width: number
  #bytes = Buffer.alloc(16_384)
  #length = 0

  constructor(width: number) {
    this.#width = width
  }

  add(from: Buffer, at: number): void {
    if (this.#length + this.#width > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes], this.#bytes.length * 2)
    }
    from.copy(this.#bytes, this.#length, at, at + this.#width)
    this.#length += this.#width
  }

  count(id: Buffer): number {
    const all = this.#bytes.subarray(0, this.#length)
    let found = 0
    for (let at = all.indexOf(id); at >= 0; at = all.indexOf(id, at + 1)) {
      if (at % this.#width === 0) found += 1
    }
    return found
  }
}

/** Passes the entries of a tree object: folders, files, submodules. */
function walkFolder(content: Buffer, page: Page): void {
  const ends: number[] = []
  for (let at = 0; at < content.length;) {
    const end = content.indexOf(0, at)
    if (end < 0) break
    at = end + 21
    ends.push(end)
  }
  for (const isKind of [isFolder, isFile, isSubmodule]) {
    let start = 0
    for (const end of ends) {
      if (page.isOver) return
      if (isKind(content, start)) page.pass(content.subarray(start, end + 21), end + 1 - start)
      start = end + 21
    }
  }
}

/** The modes `40000`, `100…` and `120000`, and `160000`: their first two digits tell them apart. */
const isFolder = (content: Buffer, at: number): boolean => content[at] === 0x34
const isSubmodule = (content: Buffer, at: number): boolean => content[at] === 0x31 && content[at + 1] === 0x36
const isFile = (content: Buffer, at: number): boolean => !isFolder(content, at) && !isSubmodule(content, at)

/** Passes everything below a tree, as `<mode> <type> <id>\t<path>`. */
async function walkBelow(repository: Repository, tree: string, page: Page): Promise<void> {
  const args = ['ls-tree', '-r', '-t', '-z', tree]
  const process = await repository.git.start(repository, args, { time: 30_000 })
  process.stdin.end()
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of process.output()) {
    const bytes: Buffer = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    let at = 0
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, at)) {
      const line = bytes.subarray(at, end)
      page.pass(line, line.indexOf(0x09) - 40)
      at = end + 1
      if (page.isOver) return
    }
    rest = bytes.subarray(at)
  }
}
