import { Type } from 'typebox'
import { MAX_FILE_PATH, MAX_NAME } from '#code/repositories/limits.ts'
import { pageParameters } from '#platform/http/order.ts'
import { ById, flag, text } from '#platform/http/schema.ts'

export const ByFile = Type.Object({
  ...ById.properties,
  file_path: text({ max: MAX_FILE_PATH, description: 'The URL-encoded path from the root.' }),
})

const ref = text({
  max: MAX_NAME,
  filled: true,
  description: 'A branch, a tag or an id; `HEAD` is the default branch.',
})

export const FileAt = Type.Object({ ref })

export const RawOptions = Type.Object({
  ref: Type.Optional(
    text({ max: MAX_NAME, description: 'A branch, a tag or an id; by default the default branch.' }),
  ),
  lfs: flag({
    default: false,
    description: 'Sends the Git LFS object instead of the pointer that stands for it, if the project has it.',
  }),
})

const line = Type.Integer({ minimum: 1, maximum: 100_000_000 })

export const BlameOptions = Type.Object({
  pagination: pageParameters.pagination,
  page: Type.Optional(
    Type.Integer({
      maximum: 2 ** 31,
      description: 'The number of the page. Without it and `per_page`, everything is sent.',
    }),
  ),
  per_page: Type.Optional(Type.Integer({ minimum: 1, description: 'Ranges on a page, at most 100.' })),
  ref,
  range: Type.Optional(
    Type.Object({ start: line, end: line }, { description: 'The first and the last line; both or none.' }),
  ),
})
