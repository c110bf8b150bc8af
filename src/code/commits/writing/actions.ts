import type { PackWriter } from '#code/git/pack-writer.ts'
import type { Repository } from '#code/git/repository.ts'
import { assertHarmless } from './harmless-path.ts'
import { cleanPath, findEntry } from '#code/git/tree.ts'
import type { FileEntry, TreeEditor } from '#code/git/tree-editor.ts'
import { type Invalid, invalidParameters, known, refusal } from '#platform/refusals.ts'

/** What happens to one file. */
export interface CommitAction {
  readonly action: 'create' | 'update' | 'move' | 'delete' | 'chmod'
  readonly file_path: string
  /** Where a moved file is. */
  readonly previous_path?: string
  readonly content?: string
  readonly encoding?: 'text' | 'base64'
  readonly execute_filemode?: boolean
  /** A commit in which the file was as it is now; otherwise somebody has changed it meanwhile. */
  readonly last_commit_id?: string
}

/** The files of a new commit, while actions change them. */
export interface Files {
  readonly editor: TreeEditor
  readonly pack: PackWriter
  readonly repository: Repository
  /** The commit that they come from; undefined for the first one. */
  readonly start: string | undefined
  /** Finds the commit that a client names. */
  readonly commitNamed: (name: string) => Promise<string | undefined>
}

/** Carries out one action. @throws 400 when the file is not as the action needs it */
export async function apply(files: Files, action: CommitAction): Promise<void> {
  const path = pathIn(action.file_path)
  await assertUnchanged(files, action)
  switch (action.action) {
    case 'create':
      await assertFree(files, path)
      return put(files, path, { mode: modeFor(action), id: blob(files, action) })
    case 'update': {
      const { mode } = await existing(files, path)
      return put(files, path, { mode: modeFor(action, mode), id: blob(files, action) })
    }
    case 'chmod': {
      const { id, mode } = await existing(files, path)
      return put(files, path, { mode: modeFor(action, mode), id })
    }
    case 'delete':
      await existing(files, path)
      await files.editor.remove(path)
      return
    case 'move':
      return move(files, path, action)
  }
}

async function move(files: Files, path: string, action: CommitAction): Promise<void> {
  if (action.previous_path === undefined) throw missing('previous_path')
  const from = pathIn(action.previous_path)
  const { id, mode } = await existing(files, from)
  if (from !== path) await assertFree(files, path)
  await files.editor.remove(from)
  const content = action.content === undefined ? id : blob(files, action)
  await put(files, path, { mode: modeFor(action, mode), id: content })
}

const REGULAR = '100644'
const EXECUTABLE = '100755'

/** The mode of a file; links stay links. */
function modeFor({ execute_filemode: executable }: CommitAction, before = REGULAR): string {
  if (executable === undefined || (before !== REGULAR && before !== EXECUTABLE)) return before
  return executable ? EXECUTABLE : REGULAR
}

const missing = (name: string): Invalid => invalidParameters([{ name, text: 'is missing', missing: true }])

function blob({ pack }: Files, { content, encoding = 'text' }: CommitAction): string {
  if (content === undefined) throw missing('content')
  return pack.add('blob', encoding === 'text' ? Buffer.from(content) : decoded(content))
}

function decoded(content: string): Buffer {
  const plain = content.replace(/\s+/g, '')
  if (plain.length % 4 !== 0 || !/^[\w+/-]*={0,2}$/.test(plain) || plain.includes('_')) {
    throw invalidParameters([{ name: 'content', text: 'is not valid base64', missing: false }])
  }
  return Buffer.from(plain, 'base64')
}

function pathIn(given: string): string {
  const path = cleanPath(given)
  if (path === undefined || path === '') throw refusal(`${given} is not the path of a file`)
  return path
}

/** @throws 400 for a name that is taken, and for one that {@link assertHarmless} refuses */
async function assertFree({ editor }: Files, path: string): Promise<void> {
  assertHarmless(path)
  const found = await editor.at(path)
  if (found === 'folder') throw refusal('A directory with this name already exists')
  if (found !== undefined) throw refusal('A file with this name already exists')
}

async function existing({ editor }: Files, path: string): Promise<FileEntry> {
  const found = await editor.at(path)
  if (typeof found !== 'object') throw refusal("A file with this name doesn't exist")
  if (found.mode === '160000') throw refusal(`${path} is a submodule`)
  return found
}

async function put({ editor }: Files, path: string, entry: FileEntry): Promise<void> {
  if (!(await editor.put(path, entry))) throw refusal(`A file is in the way of ${path}`)
}

/** Refuses to overwrite what the caller has not seen. */
async function assertUnchanged(files: Files, action: CommitAction): Promise<void> {
  const { last_commit_id: seenIn, file_path, previous_path = file_path } = action
  if (seenIn === undefined || seenIn === '' || action.action === 'create') return
  const path = action.action === 'move' ? previous_path : file_path
  const { repository, start } = files
  const seen = await files.commitNamed(seenIn)
  if (seen === start && seen !== undefined) return
  const entryIn = async (id: string | undefined) => id && findEntry(repository, id, path)
  const [before, now] = await Promise.all([entryIn(seen), entryIn(start)])
  if (!before || !now || before.id !== now.id || before.mode !== now.mode) {
    throw refusal(
      known('file-changed'),
      `${path} has changed since ${seenIn}; read it again before you change it`,
    )
  }
}
