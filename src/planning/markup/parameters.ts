import { Type } from 'typebox'
import { flag, idOrPath, text } from '#platform/http/schema.ts'

export const MarkdownText = Type.Object({
  text: text({
    max: 1_048_576,
    description:
      'The Markdown. More than 100,000 characters (without credentials: 10,000) are shown as they are.',
  }),
  gfm: flag({ default: false, description: 'Makes links of references and mentions.' }),
  project: Type.Optional(
    idOrPath({ description: 'The full path of the project that references without a project mean.' }),
  ),
})
