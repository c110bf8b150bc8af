import { type Static, Type } from 'typebox'
import { CommitEntity } from '#code/commits/entity.ts'
import { entity, moment, nullable } from '#platform/http/schema.ts'

/** What a tag says of its release. */
const Release = Type.Object({ tag_name: Type.String(), description: Type.String() })

export const TagEntity = entity('Tag', {
  name: Type.String(),
  message: nullable(Type.String({ description: 'Null for a tag without an object of its own.' })),
  target: Type.String({ description: 'The id of the tag, or of the commit for one without an object.' }),
  commit: nullable(CommitEntity),
  release: nullable(Release),
  protected: Type.Boolean(),
  created_at: nullable(moment({ description: 'When somebody made the annotated tag.' })),
})
export type PresentedTag = Static<typeof TagEntity>
