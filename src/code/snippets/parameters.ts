import { Type } from 'typebox'
import { MAX_FILE_PATH, MAX_NAME } from '#code/repositories/limits.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { pageParameters } from '#platform/http/order.ts'
import { ById, integer, list, moment, nullable, oneOf, rules, text } from '#platform/http/schema.ts'

export const visibilities = ['private', 'internal', 'public'] as const satisfies Visibility[]

/** The most files of a snippet, and so the most actions of one change. */
export const MOST_FILES = 10
/** Characters of a file; the body of a request has 16 MiB at most. */
const MAX_CONTENT = 12 * 1024 * 1024
const MAX_DESCRIPTION = 1_048_576

/** The id of a snippet in paths. */
export const snippetKey = integer({ minimum: 1 })

export const BySnippetId = Type.Object({ id: snippetKey })
export const InProject = Type.Object({ ...ById.properties, snippet_id: snippetKey })

const file = {
  ref: text({ max: MAX_NAME, description: 'A branch, a tag or an id; `HEAD` is the default branch.' }),
  file_path: text({ max: MAX_FILE_PATH, description: 'The URL-encoded path from the root.' }),
}
export const ByFile = Type.Object({ ...BySnippetId.properties, ...file })
export const ByFileInProject = Type.Object({ ...InProject.properties, ...file })

const path = (description: string) => text({ max: MAX_FILE_PATH, filled: true, description })
const content = text({ max: MAX_CONTENT })
const older = {
  file_name: Type.Optional(text({ max: MAX_FILE_PATH, description: 'The path of the only file.' })),
  content: Type.Optional(text({ max: MAX_CONTENT, description: 'What the only file holds.' })),
}

const newFiles = list(Type.Object({ file_path: path('From the root.'), content }), {
  max: MOST_FILES,
  description: `The files, at most ${MOST_FILES}.`,
})

const fileChanges = list(
  Type.Object({
    action: oneOf(['create', 'update', 'delete', 'move']),
    file_path: path('From the root.'),
    previous_path: Type.Optional(path('Where a file that moves is now.')),
    content: Type.Optional(content),
  }),
  { max: 2 * MOST_FILES, description: 'What happens to files, one after the other.' },
)

const described = {
  title: text({ filled: true }),
  description: Type.Optional(nullable(text({ max: MAX_DESCRIPTION }))),
}

/** Either `files`, or the older form for one file. */
const oneForm = { mutuallyExclusive: ['files', 'content'], excludes: { files: ['file_name'] } }
const formOfNew = rules({ exactlyOneOf: ['files', 'content'], excludes: oneForm.excludes })

export const NewSnippet = Type.Object(
  {
    ...described,
    visibility: oneOf(visibilities, { description: '`internal` by default.' }),
    files: Type.Optional(newFiles),
    ...older,
  },
  formOfNew,
)

export const NewPersonalSnippet = Type.Object(
  { ...NewSnippet.properties, visibility: Type.Optional(NewSnippet.properties.visibility) },
  formOfNew,
)

export const SnippetChanges = Type.Object(
  {
    title: Type.Optional(described.title),
    description: described.description,
    visibility: Type.Optional(oneOf(visibilities)),
    files: Type.Optional(fileChanges),
    ...older,
  },
  rules({
    atLeastOneOf: ['title', 'description', 'visibility', 'files', 'file_name', 'content'],
    ...oneForm,
  }),
)

export const SnippetPages = Type.Object(pageParameters)

export const Filter = Type.Object({
  ...pageParameters,
  created_after: Type.Optional(moment({ description: 'Only snippets created then or later.' })),
  created_before: Type.Optional(moment({ description: 'Only snippets created then or earlier.' })),
})

export const FilterOfAll = Type.Object({
  ...Filter.properties,
  repository_storage: Type.Optional(text({ description: 'Only those stored there; for administrators.' })),
})
