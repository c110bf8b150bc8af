import { Type } from 'typebox'
import { entity, integer, nullable } from '#platform/http/schema.ts'

/** Who may publish packages, and delete them. */
export const PackageProtectionRule = entity('PackageProtectionRule', {
  id: integer(),
  project_id: integer(),
  package_name_pattern: Type.String(),
  package_type: Type.String(),
  minimum_access_level_for_push: nullable(Type.String()),
  minimum_access_level_for_delete: nullable(Type.String()),
})
