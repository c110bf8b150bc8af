import { Type } from 'typebox'
import { pageParameters } from '#http/order.ts'
import { flag, integer, text } from '#http/schema.ts'

export const ByApplication = Type.Object({ id: integer({ description: 'The id of an application.' }) })

export const ApplicationFilter = Type.Object(pageParameters)

export const NewApplication = Type.Object({
  name: text({ max: 255, filled: true }),
  redirect_uri: text({
    max: 65_536,
    filled: true,
    description:
      'Where people are sent back to, one URI on a line: https, a scheme of its own, or http on the own machine.',
  }),
  scopes: text({
    max: 1_024,
    filled: true,
    description: 'What it may ask people for, separated by blanks.',
  }),
  confidential: Type.Optional(
    flag({
      description: 'Whether it can keep a secret: a server can, an app on a phone cannot. True unless said.',
    }),
  ),
})
