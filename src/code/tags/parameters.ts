import { Type } from 'typebox'
import { MAX_NAME } from '#code/repositories/limits.ts'
import { search } from '#code/repositories/name-filter.ts'
import { referencePages } from '#code/repositories/page-references.ts'
import { ById, oneOf, text } from '#platform/http/schema.ts'

export const ByTag = Type.Object({
  ...ById.properties,
  tag_name: text({ max: MAX_NAME, description: 'The URL-encoded name of a tag.' }),
})

export const TagFilter = Type.Object({
  ...referencePages,
  order_by: Type.Optional(
    oneOf(['name', 'updated', 'version'], {
      description: '`updated` by default: when the tag, or else its commit, was made.',
    }),
  ),
  sort: Type.Optional(oneOf(['asc', 'desc'], { description: '`desc` by default.' })),
  search,
})

export const NewTag = Type.Object({
  tag_name: text({ max: MAX_NAME, filled: true }),
  ref: text({ max: MAX_NAME, filled: true, description: 'A branch, a tag or an id.' }),
  message: Type.Optional(text({ max: 100_000, description: 'Makes an annotated tag.' })),
})
