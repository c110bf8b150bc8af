import { Type } from 'typebox'
import { MAX_FILE_PATH, MAX_NAME } from '#code/repositories/limits.ts'
import { ById, file, flag, oneOf, rules, text } from '#platform/http/schema.ts'
import { formats } from './formats.ts'

/** Characters of a page; the body of a request has 16 MiB at most. */
const MAX_CONTENT = 12 * 1024 * 1024
/** Bytes of an attachment: it is in memory while it is committed. */
export const MAX_ATTACHMENT = 15 * 1024 * 1024

export const ByPage = Type.Object({
  ...ById.properties,
  slug: text({ max: MAX_FILE_PATH, description: 'The URL-encoded slug of the page, such as `dir%2Fpage`.' }),
})

export const ListOptions = Type.Object({
  page: Type.Optional(
    Type.Integer({
      maximum: 2 ** 31,
      description:
        "The number of the page of the list. Without it and `per_page`, everything is sent. Forgelet's own.",
    }),
  ),
  per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: "Wiki pages on a page of the list, at most 100. Forgelet's own.",
    }),
  ),
  with_content: flag({ default: false, description: 'Adds the content of each page.' }),
})

export const PageOptions = Type.Object({
  version: Type.Optional(
    text({ max: MAX_NAME, description: "A commit of the wiki's repository; by default the last one." }),
  ),
  render_html: flag({ default: false, description: 'Sends the content as HTML.' }),
})

export const ChangeOptions = Type.Object({
  version: Type.Optional(
    text({
      max: MAX_NAME,
      description:
        "A commit of the wiki's repository: the last change of the page until then. By default the last one.",
    }),
  ),
})

const title = text({
  max: MAX_FILE_PATH,
  filled: true,
  description: 'Slashes make folders, and spaces become hyphens in the slug.',
})
const content = text({ max: MAX_CONTENT })
const format = oneOf(formats, { description: 'By default `markdown`.' })
const front_matter = Type.Object(
  { title: Type.Optional(text({ description: 'A title to show instead; blank removes it.' })) },
  { description: 'What the page says of itself above its text.' },
)

export const NewPage = Type.Object({
  title,
  content,
  format: Type.Optional(format),
  front_matter: Type.Optional(front_matter),
})

export const PageChanges = Type.Object(
  {
    title: Type.Optional(title),
    content: Type.Optional(content),
    format: Type.Optional(oneOf(formats, { description: 'By default as it is.' })),
    front_matter: Type.Optional(front_matter),
  },
  rules({ atLeastOneOf: ['content', 'title', 'format', 'front_matter'] }),
)

export const NewAttachment = Type.Object({
  file: file({ max: MAX_ATTACHMENT, description: 'At most 15 MiB, and no more than `max_attachment_size`.' }),
  branch: Type.Optional(
    text({
      max: MAX_NAME,
      filled: true,
      description: 'The branch that gets the file; by default the default branch.',
    }),
  ),
})
