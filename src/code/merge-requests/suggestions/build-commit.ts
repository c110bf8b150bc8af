import { addCommit } from '#code/git/new-commit.ts'
import { readCommit } from '#code/git/objects.ts'
import { PackWriter } from '#code/git/pack-writer.ts'
import type { Quarantine } from '#code/git/quarantine.ts'
import { TreeEditor } from '#code/git/tree-editor.ts'
import { addObjects } from '#code/commits/writing/add-objects.ts'
import type { CommitSignature } from '#code/git/new-commit.ts'
import { refusal } from '#platform/refusals.ts'
import { BytesLeft, linesOfFile, type NewLines } from './file-lines.ts'
import { MAX_BYTES_TOGETHER } from './limits.ts'

/** Lines of a file that are written anew. */
export interface Replacement extends NewLines {
  readonly path: string
}

interface Wanted {
  readonly tip: string
  readonly committer: CommitSignature
  readonly message: string
}

/**
 * Makes a commit on top of `tip` that replaces lines, which do not overlap, in the quarantine.
 * @returns its id
 * @throws 400 when a file is not there, or they are too large together
 */
export async function buildCommit(
  quarantine: Quarantine,
  replacements: readonly Replacement[],
  { tip, committer, message }: Wanted,
): Promise<string> {
  const { repository } = quarantine
  const parent = await readCommit(repository, tip)
  const editor = new TreeEditor(repository, parent?.tree)
  const pack = new PackWriter()
  const left = new BytesLeft(MAX_BYTES_TOGETHER)
  for (const [path, ofFile] of Map.groupBy(replacements, (one) => one.path)) {
    const lines = await linesOfFile(repository, tip, path, left)
    const entry = await editor.at(path)
    if (lines === undefined || typeof entry !== 'object') throw refusal('A file was not found.')
    const id = pack.add('blob', lines.with(ofFile))
    await editor.put(path, { mode: entry.mode, id })
  }
  const tree = editor.write(pack)
  const after = addCommit(pack, { tree, parents: [tip], author: committer, committer, message })
  await addObjects(quarantine, pack)
  return after
}
