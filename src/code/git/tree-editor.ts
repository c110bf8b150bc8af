import { readExisting } from './objects.ts'
import type { PackWriter } from './pack-writer.ts'
import type { Repository } from './repository.ts'
import { parseTree, typeOf } from './tree.ts'

/** What a path names: a file, a symbolic link or a submodule. */
export interface FileEntry {
  /** `100644`, `100755`, `120000` or `160000`. */
  readonly mode: string
  readonly id: string
}

/** Names in trees are bytes; as keys they are Latin-1, which has a character for each. */
const keyOf = (name: string): string => Buffer.from(name).toString('latin1')

/** A folder of a commit. What is in it is read when somebody needs it. */
class Folder {
  readonly #repository: Repository
  /** The stored tree; undefined for a new folder. */
  readonly #tree: string | undefined
  #entries: Map<string, FileEntry | Folder> | undefined
  /** Whether something in it has changed. */
  changed = false

  constructor(repository: Repository, tree: string | undefined) {
    this.#repository = repository
    this.#tree = tree
  }

  async entries(): Promise<Map<string, FileEntry | Folder>> {
    this.#entries ??= this.#tree === undefined ? new Map() : await this.#read(this.#tree)
    return this.#entries
  }

  /** @returns the id of its tree; undefined when it is empty */
  write(pack: PackWriter): string | undefined {
    if (!this.changed || this.#entries === undefined) return this.#tree
    const lines: { readonly sort: string; readonly bytes: Buffer }[] = []
    for (const [key, entry] of this.#entries) {
      const id = entry instanceof Folder ? entry.write(pack) : entry.id
      if (id === undefined) continue
      const mode = entry instanceof Folder ? '40000' : entry.mode
      const bytes = Buffer.concat([Buffer.from(`${mode} ${key}\0`, 'latin1'), Buffer.from(id, 'hex')])
      // Git sorts folders as if their names ended with a slash.
      lines.push({ sort: entry instanceof Folder ? `${key}/` : key, bytes })
    }
    if (lines.length === 0) return undefined
    lines.sort((a, b) => (a.sort < b.sort ? -1 : 1))
    return pack.add('tree', Buffer.concat(lines.map(({ bytes }) => bytes)))
  }

  async #read(tree: string): Promise<Map<string, FileEntry | Folder>> {
    const entries = parseTree(await readExisting(this.#repository, tree, 'tree'))
    return new Map(
      entries.map(({ mode, name, id }) => [
        name.toString('latin1'),
        typeOf(mode) === 'tree' ? new Folder(this.#repository, id) : { mode, id },
      ]),
    )
  }
}

/**
 * Changes files of a commit without a worktree. It reads only the folders on the way, and writes only those that
 * differ. Paths are clean: see `cleanPath`.
 */
export class TreeEditor {
  readonly #repository: Repository
  readonly #root: Folder

  /** @param tree the id of the tree to begin with; undefined for none. */
  constructor(repository: Repository, tree: string | undefined) {
    this.#repository = repository
    this.#root = new Folder(repository, tree)
  }

  /** What is at a path: a file, `folder`, or undefined for nothing. */
  async at(path: string): Promise<FileEntry | 'folder' | undefined> {
    const { folder, key } = await this.#find(path)
    const found = (await folder?.entries())?.get(key)
    return found instanceof Folder ? 'folder' : found
  }

  /**
   * Puts a file at a path, instead of one that is there, and makes the folders on the way.
   * @returns false when a file is where a folder should be, or a folder is at the path.
   */
  async put(path: string, entry: FileEntry): Promise<boolean> {
    const { folder, key } = await this.#find(path, 'make')
    if (folder === undefined) return false
    const entries = await folder.entries()
    if (entries.get(key) instanceof Folder) return false
    entries.set(key, entry)
    return true
  }

  /** Removes a file. Folders that become empty go, too. @returns false when there is no file */
  async remove(path: string): Promise<boolean> {
    if (typeof (await this.at(path)) !== 'object') return false
    const { folder, key } = await this.#find(path, 'change')
    return (await folder?.entries())?.delete(key) ?? false
  }

  /** Adds the trees that have changed to a pack. @returns the id of the whole tree */
  write(pack: PackWriter): string {
    return this.#root.write(pack) ?? pack.add('tree', Buffer.alloc(0))
  }

  /** The folder that holds a path, and the name there. `change` marks the folders on the way as changed. */
  async #find(path: string, purpose: 'look' | 'change' | 'make' = 'look') {
    const parts = path.split('/').map(keyOf)
    const key = parts.pop() ?? ''
    let folder = this.#root
    const way = [folder]
    for (const part of parts) {
      const entries = await folder.entries()
      let next = entries.get(part)
      if (next === undefined && purpose === 'make') {
        next = new Folder(this.#repository, undefined)
        entries.set(part, next)
      }
      if (!(next instanceof Folder)) return { folder: undefined, key }
      folder = next
      way.push(folder)
    }
    if (purpose !== 'look') for (const one of way) one.changed = true
    return { folder, key }
  }
}
