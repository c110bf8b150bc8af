import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { flag, moment, oneOf, text } from '#platform/http/schema.ts'
import { MAX_NAME } from './by-commit.ts'

/** The longest path in characters. */
export const MAX_FILE_PATH = 4_096

export const CommitFilter = Type.Object({
  ...pageParameters,
  ref_name: Type.Optional(
    text({
      max: 2 * MAX_NAME,
      description: 'A branch, a tag, an id, or a range such as `v1..main`. The default branch by default.',
    }),
  ),
  since: Type.Optional(moment({ description: 'Only commits of this moment or later.' })),
  until: Type.Optional(moment({ description: 'Only commits of this moment or earlier.' })),
  path: Type.Optional(
    text({ max: MAX_FILE_PATH, description: 'Only commits that change this file or folder.' }),
  ),
  author: Type.Optional(text({ description: "Part of the author's name or address." })),
  all: flag({ default: false, description: 'Commits of all branches and tags.' }),
  with_stats: flag({ default: false, description: 'Adds the numbers of changed lines.' }),
  first_parent: flag({ default: false, description: 'Follows only the first parent of merges.' }),
  order: Type.Optional(
    oneOf(['default', 'topo'], {
      description: '`topo` shows no commit before those that follow it; by default the newest come first.',
    }),
  ),
  trailers: flag({ default: false, description: 'Reads the trailers of messages.' }),
  follow: flag({ default: false, description: 'Follows the file in `path` through renames.' }),
})

export const CommitOptions = Type.Object({
  stats: flag({ default: true, description: 'Adds the numbers of changed lines.' }),
})

export const unidiff = flag({ default: false, description: 'Diffs begin with the names of the files.' })

export const DiffOptions = Type.Object({ ...pageParameters, unidiff })

export const RefFilter = Type.Object({
  ...pageParameters,
  type: Type.Optional(oneOf(['branch', 'tag', 'all'], { description: '`all` by default.' })),
})

export const SequenceOptions = Type.Object({
  first_parent: flag({ default: false, description: 'Follows only the first parent of merges.' }),
})

export const Page = Type.Object(pageParameters)
