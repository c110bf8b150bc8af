import { listChanges } from './changed-files.ts'
import { DiffSizes } from './diff-size.ts'
import { readExisting } from './objects.ts'
import type { Repository } from './repository.ts'
import { resolveTo } from './resolve.ts'
import { parseTree, type RawEntry, typeOf } from './tree.ts'

/** Folders, and bytes of them, that are compared here. For more, a process takes less. */
const MAX_FOLDERS = 200
const MAX_BYTES = 512 * 1024

/** Git takes other modes, which old programs wrote, for one of these. */
const MODES: ReadonlySet<string> = new Set(['100644', '100755', '120000', '160000', '40000'])

/** How many files differ between two commits; `most + 1` for more than `most`. */
export async function countChangedFiles(
  repository: Repository,
  before: string,
  after: string,
  most: number,
): Promise<number> {
  const [old, young] = await Promise.all([
    resolveTo(repository, before, 'tree'),
    resolveTo(repository, after, 'tree'),
  ])
  const counted = await new FileCount(repository).between(old, young)
  if (counted !== undefined) return Math.min(counted, most + 1)
  if (!(await new DiffSizes(repository).isBounded(old, young))) return most + 1
  const { total } = await listChanges(repository, before, after, { keep: 0, count: most + 1 })
  return total
}

/**
 * Counts without a process what people mostly change: few folders, in which files changed, and came or went. Where some
 * came and others went, git has to find out which were renamed.
 */
class FileCount {
  readonly #repository: Repository
  #folders = 0
  #bytes = 0
  #came = 0
  #went = 0
  #changed = 0

  constructor(repository: Repository) {
    this.#repository = repository
  }

  /** @returns undefined where git has to count */
  async between(before: string | undefined, after: string | undefined): Promise<number | undefined> {
    if (!(await this.#compare(before, after)) || (this.#came > 0 && this.#went > 0)) return undefined
    return this.#came + this.#went + this.#changed
  }

  /** @returns false where git has to count */
  async #compare(before: string | undefined, after: string | undefined): Promise<boolean> {
    if (before === after) return true
    const [old, young] = [await this.#read(before), await this.#read(after)]
    if (old === undefined || young === undefined) return false
    for (const name of new Set([...old.keys(), ...young.keys()])) {
      const [was, is] = [old.get(name), young.get(name)]
      if (was?.id === is?.id && was?.mode === is?.mode) continue
      this.#count(was, is)
      if (!(await this.#compare(folderOf(was), folderOf(is)))) return false
    }
    return true
  }

  #count(was: RawEntry | undefined, is: RawEntry | undefined): void {
    const [wasFile, isFile] = [isFileEntry(was), isFileEntry(is)]
    if (wasFile && isFile) this.#changed += 1
    else if (wasFile) this.#went += 1
    else if (isFile) this.#came += 1
  }

  /** The entries of a folder by their names; undefined for too many, and for what git reads in its own way. */
  async #read(id: string | undefined): Promise<ReadonlyMap<string, RawEntry> | undefined> {
    if (id === undefined) return new Map()
    this.#folders += 1
    if (this.#folders > MAX_FOLDERS) return undefined
    const content = await readExisting(this.#repository, id, 'tree')
    this.#bytes += content.length
    if (this.#bytes > MAX_BYTES) return undefined
    const entries = parseTree(content)
    if (entries.some(({ mode }) => !MODES.has(mode))) return undefined
    return new Map(entries.map((entry) => [entry.name.toString('latin1'), entry]))
  }
}

const folderOf = (entry: RawEntry | undefined): string | undefined =>
  entry !== undefined && typeOf(entry.mode) === 'tree' ? entry.id : undefined

const isFileEntry = (entry: RawEntry | undefined): boolean =>
  entry !== undefined && typeOf(entry.mode) !== 'tree'
