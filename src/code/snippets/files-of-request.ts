import type { CommitAction } from '#code/commits/writing/actions.ts'
import { cleanPath } from '#code/git/tree.ts'
import { assertHarmless } from '#code/commits/writing/harmless-path.ts'
import { refusal } from '#platform/refusals.ts'

/** The older form for the only file of a snippet. */
interface OneFile {
  readonly file_name?: string
  readonly content?: string
}

export interface NewFilesRequest extends OneFile {
  readonly files?: readonly { readonly file_path: string; readonly content: string }[]
}

export interface FileChangesRequest extends OneFile {
  readonly files?: readonly CommitAction[]
}

/** The name of a file that nobody has named. */
const UNNAMED = 'snippetfile1.txt'

/** The files of a new snippet, by their paths. @throws 400 for what is no path, and for two files with the same one */
export function newFiles({ files, file_name, content = '' }: NewFilesRequest): Record<string, string> {
  const asked = files ?? [
    { file_path: file_name === undefined || file_name === '' ? UNNAMED : file_name, content },
  ]
  if (asked.length === 0) throw refusal('a snippet must have a file')
  const found = new Map<string, string>()
  for (const file of asked) {
    const path = cleanPath(file.file_path)
    if (path === undefined || path === '') throw refusal(`${file.file_path} is not the path of a file`)
    assertHarmless(path)
    if (found.has(path)) throw refusal('A file with this name already exists')
    found.set(path, file.content)
  }
  return Object.fromEntries(found)
}

/** What a change does to files. @throws 400 for the older form where there are several files */
export function fileActions(
  { files, file_name, content }: FileChangesRequest,
  paths: readonly string[],
): readonly CommitAction[] {
  if (files !== undefined) return files
  if (file_name === undefined && content === undefined) return []
  const [path, ...others] = paths
  if (others.length > 0) throw refusal('the snippet has several files: change them with files')
  const text = content === undefined ? {} : { content }
  if (path === undefined)
    return [{ action: 'create', file_path: file_name ?? UNNAMED, content: content ?? '' }]
  if (file_name === undefined || file_name === path) return [{ action: 'update', file_path: path, ...text }]
  return [{ action: 'move', previous_path: path, file_path: file_name, ...text }]
}
