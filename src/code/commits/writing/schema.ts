import { Type } from 'typebox'
import { MAX_FILE_PATH, MAX_NAME } from '#code/repositories/limits.ts'
import { flag, idOrPath, list, oneOf, rules, text } from '#platform/http/schema.ts'

/** Actions of one commit. */
const MOST_ACTIONS = 1_000
/** Characters of a file; the body of a request has 16 MiB at most. */
const MAX_CONTENT = 12 * 1024 * 1024
const MAX_MESSAGE = 100_000

const path = (description: string) => text({ max: MAX_FILE_PATH, filled: true, description })
export const content = text({ max: MAX_CONTENT, description: 'What the file holds.' })
export const encoding = oneOf(['text', 'base64'], { description: 'Of the content; `text` by default.' })
export const executable = flag({ description: 'Whether the file can be executed.' })
export const lastCommitId = text({
  max: MAX_NAME,
  description: 'A commit in which the file was as you know it. If it is another one now, nothing happens.',
})

const action = Type.Object({
  action: oneOf(['create', 'update', 'move', 'delete', 'chmod']),
  file_path: path('From the root.'),
  previous_path: Type.Optional(path('Where a file that moves is now.')),
  content: Type.Optional(content),
  encoding: Type.Optional(encoding),
  last_commit_id: Type.Optional(lastCommitId),
  execute_filemode: Type.Optional(executable),
})

/** What all writes of commits take. */
export const writing = {
  branch: text({ max: MAX_NAME, filled: true, description: 'The branch that gets the commit.' }),
  commit_message: text({ max: MAX_MESSAGE, filled: true }),
  start_branch: Type.Optional(text({ max: MAX_NAME, description: 'Where a new branch begins.' })),
  author_email: Type.Optional(text({ description: 'By default your own.' })),
  author_name: Type.Optional(text({ description: 'By default your own.' })),
}

export const NewCommitParameters = Type.Object(
  {
    ...writing,
    actions: list(action, { max: MOST_ACTIONS, description: 'What happens to files, one after the other.' }),
    start_sha: Type.Optional(
      text({ max: MAX_NAME, description: 'The whole id of the commit at which a new branch begins.' }),
    ),
    start_project: Type.Optional(
      idOrPath({ description: 'The project with that start, by its id or path; by default this one.' }),
    ),
    force: flag({
      default: false,
      description: 'Whether a branch that exists begins anew, and may lose its commits.',
    }),
    stats: flag({ default: true, description: 'Adds the numbers of changed lines.' }),
    allow_empty: flag({ default: false, description: 'Whether a commit without actions is made.' }),
  },
  rules({ mutuallyExclusive: ['start_branch', 'start_sha'] }),
)
