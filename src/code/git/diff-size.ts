import { readCommits, readExisting } from './objects.ts'
import type { Commit } from './commit.ts'
import type { Repository } from './repository.ts'

/** Changed files that git may look at for one answer. It holds all of them in memory, and takes its time. */
const MAX_CHANGED_FILES = 2_000_000

/** What matters of a folder: how many entries it has, and which folders are in it. */
interface Folder {
  readonly entries: number
  readonly folders: ReadonlyMap<string, string>
}

const NOTHING: Folder = { entries: 0, folders: new Map() }

/**
 * Tells before git is asked whether a difference is small enough for it. A few small objects can claim to be a folder
 * of thousands of millions of files. Each pair of folders is looked at once, and equal ones are not, so that this takes
 * little for what people commit.
 */
export class DiffSizes {
  readonly #repository: Repository
  readonly #known = new Map<string, Promise<number>>()

  constructor(repository: Repository) {
    this.#repository = repository
  }

  /** @param before and after are ids of trees; undefined for nothing. */
  async isBounded(before: string | undefined, after: string | undefined): Promise<boolean> {
    return (await this.#most(before, after)) <= MAX_CHANGED_FILES
  }

  /** No fewer files than differ between two folders. */
  #most(before: string | undefined, after: string | undefined): Promise<number> {
    if (before === after) return Promise.resolve(0)
    const key = `${before} ${after}`
    const known = this.#known.get(key) ?? this.#add(before, after)
    this.#known.set(key, known)
    return known
  }

  async #add(before: string | undefined, after: string | undefined): Promise<number> {
    const [old, young] = [await this.#read(before), await this.#read(after)]
    let total = old.entries + young.entries
    for (const name of new Set([...old.folders.keys(), ...young.folders.keys()])) {
      if (total > MAX_CHANGED_FILES) break
      total += await this.#most(old.folders.get(name), young.folders.get(name))
    }
    return total
  }

  async #read(id: string | undefined): Promise<Folder> {
    return id === undefined ? NOTHING : foldersIn(await readExisting(this.#repository, id, 'tree'))
  }
}

/** Reads the content of a tree object no further than it must. */
function foldersIn(content: Buffer): Folder {
  const folders = new Map<string, string>()
  let entries = 0
  for (let at = 0; at < content.length;) {
    const end = content.indexOf(0, at)
    if (end < 0) break
    // The mode of folders is `40000`; no other mode begins with this digit.
    if (content[at] === 0x34) {
      folders.set(content.toString('latin1', at, end), content.toString('hex', end + 1, end + 21))
    }
    entries += 1
    at = end + 21
  }
  return { entries, folders }
}

/** The commits whose changes are few enough to be looked at. */
export async function boundedCommits(
  repository: Repository,
  commits: readonly Commit[],
): Promise<readonly Commit[]> {
  const parents = commits.flatMap((commit) => commit.parents[0] ?? [])
  const trees = new Map((await readCommits(repository, parents)).map(({ id, tree }) => [id, tree]))
  const sizes = new DiffSizes(repository)
  const bounded: Commit[] = []
  for (const commit of commits) {
    const before = commit.parents[0] === undefined ? undefined : trees.get(commit.parents[0])
    if (await sizes.isBounded(before, commit.tree)) bounded.push(commit)
  }
  return bounded
}
