import { Type } from 'typebox'
import { flag, integer, list, text } from '#platform/http/schema.ts'
import { MAX_NAME } from '../limits.ts'

const reference = (description: string) => text({ max: MAX_NAME, filled: true, description })

export const Comparison = Type.Object({
  from: reference('A branch, a tag or an id.'),
  to: reference('A branch, a tag or an id.'),
  from_project_id: Type.Optional(integer({ description: 'The project that has `from`, such as a fork.' })),
  straight: flag({
    default: false,
    description: '`true` compares with `from` itself, by default with where the two have parted.',
  }),
  unidiff: flag({ default: false, description: 'Diffs begin with the names of the files.' }),
})

export const Refs = Type.Object({
  refs: list(text({ max: MAX_NAME }), { description: 'Two or more branches, tags or ids.' }),
})
