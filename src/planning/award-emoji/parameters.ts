import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { integer, text } from '#platform/http/schema.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { byNoteable } from '#planning/noteables/paths.ts'

const id = (description: string) => integer({ minimum: 1, description })

const note = { note_id: id('The id of a note on it.') }

/** The parameters of the paths below a noteable, or below one of its notes. */
export const byTarget = (kind: NoteableKind, onNote: boolean) => byNoteable(kind, onNote ? note : {})

/** The same for an award on it. */
export const byAward = (kind: NoteableKind, onNote: boolean) =>
  byNoteable(kind, { ...(onNote ? note : {}), award_id: id('The id of a reaction.') })

export const AwardPages = Type.Object(pageParameters)

export const NewAward = Type.Object({
  name: text({
    max: 255,
    filled: true,
    description: 'The name of an emoji without colons, such as `thumbsup`, or an alias, such as `+1`.',
  }),
})
