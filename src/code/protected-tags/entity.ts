import { type Static, Type } from 'typebox'
import { AccessLevelEntry, presentGrants } from '#code/protected-references/entity.ts'
import type { ProtectedReference } from '#code/protected-references/rows.ts'
import { entity } from '#platform/http/schema.ts'

/** A tag, or tags that fit a pattern, that not everybody may create. */
export const ProtectedTag = entity('ProtectedTag', {
  name: Type.String(),
  create_access_levels: Type.Array(AccessLevelEntry),
})

/** As the API presents it. */
export const presentProtectedTag = (row: ProtectedReference): Static<typeof ProtectedTag> => ({
  name: row.name,
  create_access_levels: presentGrants(row, 'create'),
})
