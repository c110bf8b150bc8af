import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, flag, text } from '#platform/http/schema.ts'
import { MAX_FILE_PATH, MAX_NAME } from '../limits.ts'

export const TreeFilter = Type.Object({
  ...pageParameters,
  path: Type.Optional(text({ max: MAX_FILE_PATH, description: 'A folder; by default the root.' })),
  ref: Type.Optional(
    text({ max: MAX_NAME, description: 'A branch, a tag or an id; by default the default branch.' }),
  ),
  recursive: flag({ default: false, description: 'Also what is in folders below.' }),
  page_token: Type.Optional(
    text({ max: 64, description: 'With keyset pagination, the id of the last entry that you have.' }),
  ),
})

export const ByBlob = Type.Object({
  ...ById.properties,
  sha: text({ max: 64, description: 'The id of a blob.' }),
})
