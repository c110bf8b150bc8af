import { Type } from 'typebox'
import { MAX_NAME } from '#code/repositories/limits.ts'
import { regex, search } from '#code/repositories/name-filter.ts'
import { referencePages } from '#code/repositories/page-references.ts'
import { ById, flag, oneOf, text } from '#platform/http/schema.ts'

export const ByBranch = Type.Object({
  ...ById.properties,
  branch: text({ max: MAX_NAME, description: 'The URL-encoded name of a branch.' }),
})

export const BranchFilter = Type.Object({
  ...referencePages,
  search,
  regex,
  sort: Type.Optional(
    oneOf(['name_asc', 'updated_asc', 'updated_desc'], { description: '`name_asc` by default.' }),
  ),
})

export const NewBranch = Type.Object({
  branch: text({ max: MAX_NAME, filled: true }),
  ref: text({ max: MAX_NAME, filled: true, description: 'A branch, a tag or an id to begin with.' }),
})

export const BranchProtection = Type.Object({
  developers_can_push: Type.Optional(flag({ description: 'Whether Developers may push.' })),
  developers_can_merge: Type.Optional(flag({ description: 'Whether Developers may merge.' })),
})
