import { Type } from 'typebox'
import { entity, integer, nullable } from '#platform/http/schema.ts'

const LevelFields = {
  minimum_access_level_for_push: nullable(Type.String()),
  minimum_access_level_for_delete: nullable(Type.String()),
}
/** Who may push to repositories of images, and delete them. */
export const RepositoryRule = entity('ContainerRepositoryProtectionRule', {
  id: integer(),
  project_id: integer(),
  repository_path_pattern: Type.String(),
  ...LevelFields,
})

/** The same of tags. */
export const TagRule = entity('ContainerTagProtectionRule', {
  id: integer(),
  project_id: integer(),
  tag_name_pattern: Type.String(),
  ...LevelFields,
})
