import { type Static, Type } from 'typebox'
import { AccessLevelEntry, presentGrants } from '#code/protected-references/entity.ts'
import type { ProtectedReference } from '#code/protected-references/rows.ts'
import { entity, integer } from '#platform/http/schema.ts'

export const ProtectedBranch = entity('ProtectedBranch', {
  id: integer(),
  name: Type.String(),
  push_access_levels: Type.Array(AccessLevelEntry),
  merge_access_levels: Type.Array(AccessLevelEntry),
  unprotect_access_levels: Type.Array(AccessLevelEntry),
  allow_force_push: Type.Boolean(),
  code_owner_approval_required: Type.Boolean(),
  inherited: Type.Boolean({ description: 'Always false: groups protect no branches.' }),
})

export function presentProtectedBranch(row: ProtectedReference): Static<typeof ProtectedBranch> {
  return {
    id: row.id,
    name: row.name,
    push_access_levels: presentGrants(row, 'push'),
    merge_access_levels: presentGrants(row, 'merge'),
    unprotect_access_levels: presentGrants(row, 'unprotect'),
    allow_force_push: row.allow_force_push,
    code_owner_approval_required: row.code_owner_approval_required,
    inherited: false,
  }
}
