import { Type } from 'typebox'
import { entity, integer } from '#platform/http/schema.ts'

/** Somebody who wrote commits. */
export const ContributorEntity = entity('Contributor', {
  name: Type.String(),
  email: Type.String(),
  commits: integer(),
  additions: integer({ description: 'Always 0: nobody counts lines.' }),
  deletions: integer({ description: 'Always 0: nobody counts lines.' }),
})
