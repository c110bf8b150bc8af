import { type Static, Type } from 'typebox'
import type { Files, StoredFile } from '#platform/files/files.ts'
import { entity, integer, oneOf } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { zipEntries } from './zip-entries.ts'

/** A file or folder of an archive. */
export const JobArtifactEntry = entity('JobArtifactEntry', {
  name: Type.String(),
  path: Type.String({ description: 'In the archive. That of a folder ends with a slash.' }),
  type: oneOf(['file', 'directory']),
  size: Type.Optional(integer({ description: 'In bytes, once unpacked. Only of files.' })),
  mode: Type.String({ description: 'As Unix has it, such as `100644`.' }),
})
export type JobArtifactEntry = Static<typeof JobArtifactEntry>

/** What names nothing below the archive, or the same file in another way. */
const ODD = /(?:^|\/)\.{0,2}(?:\/|$)|\\/
/** Characters of a path: nobody may ask for longer ones. */
const MOST_CHARACTERS = 4_096
/** Files and folders that are listed. A small archive may have very many folders. */
const MOST_LISTED = 100_000

/**
 * What is in a folder of a zip archive of the store: folders first, each in the order of paths. The archive need not list its folders.
 * @param folder ends with a slash; that of the root is empty.
 * @throws 404 where there is no such folder; 422 for what is no archive
 */
export async function zipTree(
  files: Files,
  file: StoredFile,
  { folder, recursive }: { readonly folder: string; readonly recursive: boolean },
): Promise<readonly JobArtifactEntry[]> {
  const found = new Map<string, JobArtifactEntry>()
  let exists = folder === ''
  for await (const { filename, directory, uncompressedSize, externalFileAttributes } of zipEntries(
    files,
    file,
  )) {
    const path = directory ? filename.replace(/\/$/, '') : filename
    const whole = directory ? `${path}/` : path
    if (path.length > MOST_CHARACTERS || ODD.test(path) || !whole.startsWith(folder)) continue
    exists = true
    for (const at of foldersOf(path, { from: folder.length, recursive }))
      if (!found.has(at)) found.set(at, folderAt(at))
    if (whole === folder || (!recursive && path.includes('/', folder.length))) continue
    const mode = externalFileAttributes >>> 16
    if (directory) found.set(whole, folderAt(whole, mode))
    else found.set(path, fileAt(path, uncompressedSize, mode))
    if (found.size > MOST_LISTED) break
  }
  if (!exists) throw notFound('Path')
  return [...found.values()].toSorted(
    (one, other) => kind(one) - kind(other) || (one.path < other.path ? -1 : 1),
  )
}

const kind = ({ type }: JobArtifactEntry): number => (type === 'directory' ? 0 : 1)

/** The folders of a path below another one; only the first where the others are not asked for. */
function* foldersOf(
  path: string,
  { from, recursive }: { readonly from: number; readonly recursive: boolean },
): Generator<string> {
  for (let end = path.indexOf('/', from); end >= 0; end = recursive ? path.indexOf('/', end + 1) : -1)
    yield path.slice(0, end + 1)
}

/** Archives of other systems have no mode. */
const modeOf = (mode: number, usual: string): string =>
  mode === 0 ? usual : mode.toString(8).padStart(6, '0')

const folderAt = (path: string, mode = 0): JobArtifactEntry => ({
  name: path.split('/').at(-2) ?? '',
  path,
  type: 'directory',
  mode: modeOf(mode, '040755'),
})

const fileAt = (path: string, size: number, mode: number): JobArtifactEntry => ({
  name: path.split('/').at(-1) ?? '',
  path,
  type: 'file',
  size,
  mode: modeOf(mode, '100644'),
})
