import { type Static, Type } from 'typebox'
import { MAX_NAME } from '#code/repositories/limits.ts'
import { pageParameters } from '#platform/http/order.ts'
import { flag, list, oneOf, text } from '#platform/http/schema.ts'
import { everywhere, ofProject, onlyInProject } from './scopes.ts'

/** The longest text that can be searched for, in characters. */
const MAX_SEARCH = 1_024

const shared = {
  ...pageParameters,
  search: text({ max: MAX_SEARCH, filled: true, description: 'What to search for.' }),
  search_type: Type.Optional(oneOf(['basic'], { description: 'There is no other search.' })),
  state: Type.Optional(
    oneOf(['opened', 'closed', 'merged', 'all'], {
      description: 'Only for issues and merge requests; `all` by default.',
    }),
  ),
  confidential: Type.Optional(flag({ description: 'Only for issues.' })),
  fields: Type.Optional(
    list(oneOf(['title']), {
      comma: true,
      description: 'Where to search in issues and merge requests; by default in title and description.',
    }),
  ),
  order_by: Type.Optional(oneOf(['created_at'])),
  sort: Type.Optional(oneOf(['asc', 'desc'], { description: '`desc` by default.' })),
}

export const SearchEverywhere = Type.Object({
  scope: oneOf([...everywhere, ...onlyInProject], {
    description:
      'What to search for. Notes, commits and files (`blobs`, `wiki_blobs`) are refused: only projects have a search for them.',
  }),
  ...shared,
})

export const SearchInProject = Type.Object({
  scope: oneOf(ofProject, {
    description:
      'What to search for. `blobs` are the files of the repository, `wiki_blobs` those of the wiki.',
  }),
  ...shared,
  ref: Type.Optional(
    text({
      max: MAX_NAME,
      description:
        'A branch, a tag or an id in which to search for commits and files; by default the default branch.',
    }),
  ),
})

/** The parameters of a search, wherever it is. */
export type Search = Omit<Static<typeof SearchInProject>, 'scope'>
