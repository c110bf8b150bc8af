import { type Static, Type } from 'typebox'
import { CommitEntity } from '#code/commits/entity.ts'
import { entity, integer } from '#platform/http/schema.ts'

/** A place in a file. */
export const FoundBlob = entity('FoundBlob', {
  basename: Type.String({ description: 'The path without its ending.' }),
  data: Type.String({ description: 'The lines that have the words, with those around them.' }),
  path: Type.String(),
  filename: Type.String({ description: 'The same as `path`.' }),
  id: Type.Null({ description: 'Always null.' }),
  ref: Type.String({ description: 'The branch, tag or id that was searched.' }),
  startline: integer({ description: 'The number of the first of the lines.' }),
  project_id: integer(),
})

/** A commit, with the project in which it was found. */
export const FoundCommit = entity('FoundCommit', { ...CommitEntity.properties, project_id: integer() })

/** @param at the name of what was searched. */
export function presentBlob(
  { path, line, text }: { readonly path: string; readonly line: number; readonly text: string },
  at: { readonly ref: string; readonly project_id: number },
): Static<typeof FoundBlob> {
  return {
    basename: path.replace(/(?<=[^/])\.[^./]*$/, ''),
    data: text,
    path,
    filename: path,
    id: null,
    ref: at.ref,
    startline: line,
    project_id: at.project_id,
  }
}
