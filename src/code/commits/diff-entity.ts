import { type Static, Type } from 'typebox'
import type { FileDiff } from '#code/git/diff.ts'
import { entity, nullable } from '#platform/http/schema.ts'

/** How one file differs. */
export const DiffEntity = entity('Diff', {
  diff: Type.String({ description: 'The changed lines. Empty when they are too many.' }),
  collapsed: Type.Boolean({ description: 'Left out because all diffs together are too large.' }),
  too_large: Type.Boolean({ description: 'Left out because this diff is too large.' }),
  new_path: Type.String(),
  old_path: Type.String(),
  a_mode: Type.String({ description: 'The mode before, `0` for a new file.' }),
  b_mode: Type.String({ description: 'The mode afterwards, `0` for a deleted file.' }),
  new_file: Type.Boolean(),
  renamed_file: Type.Boolean(),
  deleted_file: Type.Boolean(),
  generated_file: nullable(Type.Boolean({ description: 'Always null: nobody looks.' })),
})

/** @param unidiff whether the lines begin with the names of the files, as `patch` reads them. */
export function presentDiff(file: FileDiff, unidiff: boolean): Static<typeof DiffEntity> {
  const { oldPath, newPath, status } = file
  return {
    diff: unidiff ? headOf(file) + file.patch : file.patch,
    collapsed: file.collapsed,
    too_large: file.tooLarge,
    new_path: newPath,
    old_path: oldPath,
    a_mode: shortMode(file.oldMode),
    b_mode: shortMode(file.newMode),
    new_file: status === 'added',
    renamed_file: status === 'renamed',
    deleted_file: status === 'deleted',
    generated_file: null,
  }
}

function headOf({ oldPath, newPath, status, patch }: FileDiff): string {
  if (!patch.startsWith('@@')) return ''
  const before = status === 'added' ? '/dev/null' : `a/${oldPath}`
  const after = status === 'deleted' ? '/dev/null' : `b/${newPath}`
  return `--- ${before}\n+++ ${after}\n`
}

/** Clients know a file that is not there by the mode `0`. */
const shortMode = (mode: string): string => (/^0+$/.test(mode) ? '0' : mode)
