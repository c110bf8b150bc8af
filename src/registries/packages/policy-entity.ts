import { Type } from 'typebox'
import { entity } from '#platform/http/schema.ts'

/** What a group says of packages that are published again. */
export const Duplicates = entity('PackageSettings', {
  generic_duplicates_allowed: Type.Boolean(),
  generic_duplicate_exception_regex: Type.String(),
  maven_duplicates_allowed: Type.Boolean(),
  maven_duplicate_exception_regex: Type.String(),
})
