import { readExisting } from './objects.ts'
import type { ObjectInfo } from './processes/object-reader.ts'
import type { Repository } from './repository.ts'

/** `commit` is a submodule. */
export type EntryType = 'tree' | 'blob' | 'commit'

/** A file, folder or submodule. */
export interface TreeEntry {
  readonly id: string
  /** The last part of the path. */
  readonly name: string
  /** From the root of the repository. */
  readonly path: string
  readonly type: EntryType
  /** Six octal digits, such as `100644`. */
  readonly mode: string
}

/** An entry of one tree object. Names are bytes: they need not be readable text. */
export interface RawEntry {
  readonly mode: string
  readonly name: Buffer
  readonly id: string
}

/** Reads the content of a tree object. */
export function parseTree(content: Buffer, idLength = 20): RawEntry[] {
  const entries: RawEntry[] = []
  for (let at = 0; at < content.length;) {
    const blank = content.indexOf(0x20, at)
    const end = content.indexOf(0, blank + 1)
    if (blank < 0 || end < 0) break
    const id = content.toString('hex', end + 1, end + 1 + idLength)
    entries.push({ mode: content.toString('latin1', at, blank), name: content.subarray(blank + 1, end), id })
    at = end + 1 + idLength
  }
  return entries
}

export function typeOf(mode: string): EntryType {
  if (mode === '40000' || mode === '040000') return 'tree'
  return mode === '160000' ? 'commit' : 'blob'
}

/**
 * A path from the root without slashes at its ends; undefined when it can name nothing in a repository.
 * `''` is the root itself.
 */
export function cleanPath(path: string): string | undefined {
  const clean = path.replace(/^\/+|\/+$/g, '')
  if (clean === '') return ''
  if (clean.includes('\0') || !clean.isWellFormed()) return undefined
  const parts = clean.split('/')
  return parts.some((part) => part === '' || part === '.' || part === '..') ? undefined : clean
}

/** The object at a path of a commit or tree. Undefined when there is none. Submodules have no object: see {@link findEntry}. */
export async function objectAt(
  repository: Repository,
  root: string,
  path: string,
): Promise<ObjectInfo | undefined> {
  const clean = cleanPath(path)
  if (clean === undefined) return undefined
  const reader = repository.git.readers.of(repository)
  return reader.info(clean === '' ? `${root}^{tree}` : `${root}:${clean}`)
}

/** The entry at a path of a commit or tree. Undefined when there is none, and for the root. */
export async function findEntry(
  repository: Repository,
  root: string,
  path: string,
): Promise<TreeEntry | undefined> {
  const clean = cleanPath(path)
  if (clean === undefined || clean === '') return undefined
  const cut = clean.lastIndexOf('/')
  const tree = await objectAt(repository, root, cut < 0 ? '' : clean.slice(0, cut))
  if (tree?.type !== 'tree') return undefined
  const name = Buffer.from(clean.slice(cut + 1))
  const found = parseTree(await readExisting(repository, tree.id, 'tree')).find((entry) =>
    entry.name.equals(name),
  )
  return found && present(found, cut < 0 ? '' : clean.slice(0, cut + 1))
}

/** The entries of one folder: folders first, then files and submodules, each in git's order. Undefined when there is no such folder. */
export async function listFolder(
  repository: Repository,
  root: string,
  path = '',
): Promise<TreeEntry[] | undefined> {
  const tree = await objectAt(repository, root, path)
  if (tree?.type !== 'tree') return undefined
  const entries = parseTree(await readExisting(repository, tree.id, 'tree'))
  const prefix = prefixOf(path)
  const folders = entries.filter(({ mode }) => typeOf(mode) === 'tree')
  const others = entries.filter(({ mode }) => typeOf(mode) !== 'tree')
  return [...folders, ...others].map((entry) => present(entry, prefix))
}

/** Texts that end with a NUL, as git writes them with `-z`. */
export async function* records(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const piece of stream) {
    let bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0)) {
      yield bytes.subarray(0, end)
      bytes = bytes.subarray(end + 1)
    }
    rest = Buffer.from(bytes)
  }
  if (rest.length > 0) yield rest
}

/** Reads `<mode> <type> <id>\t<path>`. */
export function readLine(line: Buffer, prefix: string): TreeEntry | undefined {
  const tab = line.indexOf(0x09)
  const [mode, , id] = line.toString('latin1', 0, tab).split(' ')
  if (tab < 0 || mode === undefined || id === undefined) return undefined
  const path = prefix + line.toString('utf8', tab + 1)
  return { id, mode, path, name: path.slice(path.lastIndexOf('/') + 1), type: typeOf(mode) }
}

/** What comes before the names in a folder. */
export const prefixOf = (path: string): string => {
  const clean = cleanPath(path) ?? ''
  return clean === '' ? '' : `${clean}/`
}

export function present({ id, name, mode }: RawEntry, prefix: string): TreeEntry {
  const text = name.toString('utf8')
  return { id, name: text, path: prefix + text, type: typeOf(mode), mode: mode.padStart(6, '0') }
}
