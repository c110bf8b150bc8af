import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { flag, integer, list, text } from '#platform/http/schema.ts'

export const ByApplication = Type.Object({ id: integer({ description: 'The id of an application.' }) })

export const ApplicationFilter = Type.Object(pageParameters)

export const NewApplication = Type.Object({
  name: text({ max: 255, filled: true }),
  redirect_uri: text({
    max: 65_536,
    filled: true,
    description:
      "Where people return to, one URI on each line: https, a scheme of your own, or http on the user's own machine.",
  }),
  scopes: text({
    max: 1_024,
    filled: true,
    description: 'The scopes that it may ask people for, separated by blanks.',
  }),
  confidential: Type.Optional(
    flag({
      description: 'Whether it can keep a secret: a server can, an app on a phone cannot. True by default.',
    }),
  ),
})

/** The form of an application. Scopes are checkboxes, and a form may arrive with none checked. */
export const ApplicationForm = Type.Object({
  name: NewApplication.properties.name,
  redirect_uri: NewApplication.properties.redirect_uri,
  scopes: Type.Optional(list(text({ max: 255 }))),
  confidential: flag(),
})

export const ApplicationsPage = Type.Object({
  before: Type.Optional(integer({ description: 'Only applications older than the one with this id.' })),
})
