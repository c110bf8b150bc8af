import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { ById, integer, MAX_INT4, text } from '#platform/http/schema.ts'

const id = (description: string) => integer({ minimum: 1, description })

/** The parameters of the paths below a noteable (named by `param`), or below one of its notes. */
export const byTarget = (param: string, onNote: boolean) => ({
  ...ById.properties,
  [param]: integer({ minimum: 1, maximum: MAX_INT4 }),
  ...(onNote ? { note_id: id('The id of a note on it.') } : {}),
})

export const award = { award_id: id('The id of a reaction.') }

export const AwardPages = Type.Object(pageParameters)

export const NewAward = Type.Object({
  name: text({
    max: 255,
    filled: true,
    description: 'The name of an emoji without colons, such as `thumbsup`, or an alias, such as `+1`.',
  }),
})
