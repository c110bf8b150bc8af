import { records } from '#code/git/tree.ts'
import type { SizedBlob } from '#code/git/blob-contents.ts'
import type { Repository } from '#code/git/repository.ts'
import { filterInSlices } from '#platform/client-pattern.ts'
import { unprocessable } from '#platform/refusals.ts'

/** A file of a module, by its path in the folder of the module. */
export interface ModuleFile extends SizedBlob {
  readonly path: string
}

const MEGABYTE = 1024 * 1024
/** What `go` takes: all files, and `go.mod` and `LICENSE` (golang.org/x/mod/zip). */
const MOST_BYTES = 500 * MEGABYTE
const MOST_BYTES_OF_ONE = 16 * MEGABYTE
/** Files of a repository that are looked at. */
const MOST_FILES = 200_000

/**
 * The files that Go takes from a commit for a module: regular ones, without those of modules in folders of their own and of packages
 * below `vendor`.
 * @param folder of the module; blank for the root
 * @param goVersion what its `go.mod` says
 * @throws 422 for what `go` would refuse
 */
export async function moduleFiles(
  repository: Repository,
  commit: string,
  folder: string,
  goVersion: string | undefined,
): Promise<ModuleFile[]> {
  const all: ModuleFile[] = []
  let license: ModuleFile | undefined
  const prefix = folder === '' ? '' : `${folder}/`
  for await (const file of regularFiles(repository, commit)) {
    if (file.path === 'LICENSE') license = file
    if (file.path.startsWith(prefix)) all.push({ ...file, path: file.path.slice(prefix.length) })
  }
  const nested = new Set(
    all.flatMap(({ path }) => (/\/go\.mod$/i.test(path) ? [path.slice(0, path.lastIndexOf('/'))] : [])),
  )
  const acceptable = new AcceptableFiles()
  const files = await filterInSlices(all, (file) => {
    const isTaken = !isNested(file.path, nested) && !isVendored(file.path, goVersion)
    if (isTaken) acceptable.add(file)
    return isTaken
  })
  // The licence of the repository holds for its folders.
  if (license === undefined || files.some(({ path }) => path === 'LICENSE')) return files
  acceptable.add(license)
  return [...files, license]
}

async function* regularFiles(repository: Repository, commit: string): AsyncGenerator<ModuleFile> {
  const args = [
    'ls-tree',
    '-r',
    '-z',
    '--full-tree',
    '--format=%(objectmode) %(objectname) %(objectsize) %(path)',
    commit,
  ]
  const process = await repository.git.start(repository, args, { time: 30_000 })
  process.stdin.end()
  let count = 0
  for await (const record of records(process.output())) {
    if ((count += 1) > MOST_FILES)
      throw unprocessable(`422 Unprocessable Entity - the repository has more than ${MOST_FILES} files`)
    const [, id, size, path] = /^100\d{3} ([\da-f]+) (\d+) (.*)$/s.exec(record.toString('utf8')) ?? []
    if (id !== undefined && size !== undefined && path !== undefined) yield { id, size: Number(size), path }
  }
}

/** Whether a file belongs to a module in a folder of its own. */
function isNested(path: string, nested: ReadonlySet<string>): boolean {
  if (nested.size === 0) return false
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
    if (nested.has(path.slice(0, end))) return true
  return false
}

/** Whether a file is of a package that is a copy of another's. Before Go 1.24, where such a folder is decides in an odd way, which checksums rely on. */
function isVendored(path: string, goVersion: string | undefined): boolean {
  const isLate = isFrom124(goVersion)
  if (isLate && path === 'vendor/modules.txt') return true
  const below = '/vendor/'
  if (path.startsWith('vendor/')) return path.slice('vendor/'.length).includes('/')
  const at = path.indexOf(below)
  if (at < 0) return false
  return path.slice(isLate ? at + below.length : below.length).includes('/')
}

function isFrom124(goVersion = ''): boolean {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(goVersion) ?? []
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 24)
}

/** Names that Windows keeps for itself. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** The files of a module that Go would take. */
class AcceptableFiles {
  readonly #names = new Set<string>()
  #bytes = 0

  /** @throws 422 for one that Go would refuse, alone or beside the others */
  add({ path, size }: ModuleFile): void {
    const folded = path.toLowerCase()
    if (this.#names.has(folded)) refuse(`two files differ from ${path} in case alone`)
    this.#names.add(folded)
    if (!isFilePath(path)) refuse(`the name of ${path.slice(0, 200)} is none for Go`)
    if (folded === 'go.mod' && path !== 'go.mod') refuse('go.mod must be in small letters')
    if ((path === 'go.mod' || path === 'LICENSE') && size > MOST_BYTES_OF_ONE)
      refuse(`${path} is larger than 16 MB`)
    this.#bytes += size
    if (this.#bytes > MOST_BYTES) refuse('the module is larger than 500 MB')
  }
}

/** Whether Go takes a path in a module (golang.org/x/mod/module, CheckFilePath). */
const isFilePath = (path: string): boolean =>
  path.isWellFormed() &&
  path
    .split('/')
    .every(
      (part) =>
        /^[\p{L}\d !#$%&()+,\-.=@[\]^_{}~]+$/u.test(part) && !part.endsWith('.') && !RESERVED.test(part),
    )

function refuse(because: string): never {
  throw unprocessable(`422 Unprocessable Entity - Go takes no such module: ${because}`)
}
