import { Type } from 'typebox'
import { CommitEntity } from '#code/commits/entity.ts'
import { entity } from '#platform/http/schema.ts'

export const Branch = entity('Branch', {
  name: Type.String(),
  commit: CommitEntity,
  merged: Type.Boolean({ description: 'Whether the default branch has its commits, and further ones.' }),
  protected: Type.Boolean(),
  developers_can_push: Type.Boolean({ description: 'Whether the protection lets Developers push.' }),
  developers_can_merge: Type.Boolean({ description: 'Whether the protection lets Developers merge.' }),
  can_push: Type.Boolean({ description: 'Whether you may push.' }),
  default: Type.Boolean(),
  web_url: Type.String(),
})
