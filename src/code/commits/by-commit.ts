import { Type } from 'typebox'
import { ById, text } from '#platform/http/schema.ts'

/** The longest name of a reference in characters. */
export const MAX_NAME = 1_024

/** The parameters of paths that name a commit. */
export const ByCommit = Type.Object({
  ...ById.properties,
  sha: text({
    max: MAX_NAME,
    description: 'An id or its beginning, or the URL-encoded name of a branch or tag.',
  }),
})
