import { Type } from 'typebox'
import { entity, oneOf } from '#platform/http/schema.ts'

/** A folder, a file or a submodule of a repository. */
export const TreeEntryEntity = entity('TreeEntry', {
  id: Type.String(),
  name: Type.String(),
  type: oneOf(['tree', 'blob', 'commit'], { description: 'A folder, a file or a submodule.' }),
  path: Type.String(),
  mode: Type.String(),
})
