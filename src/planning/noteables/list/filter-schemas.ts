import { Type } from 'typebox'
import { integer, integerOr, list, moment, oneOf, text, wordOf } from '#platform/http/schema.ts'

export const noneOrAny = ['None', 'Any'] as const
export const names = (description: string) =>
  Type.Optional(list(text(), { max: 50, comma: true, description }))

/** Clients use both spellings. */
export const scopes = ['all', 'created_by_me', 'assigned_to_me', 'created-by-me', 'assigned-to-me'] as const

/** Filters of lists of every kind, which `not` negates. */
export const sharedNegatable = {
  labels: names('With all of these labels, by name; or `None`, `Any`.'),
  milestone: Type.Optional(
    text({ max: 255, description: 'By title; or `None`, `Any`, `Upcoming` (due later), `Started`.' }),
  ),
  milestone_id: Type.Optional(wordOf(['None', 'Any', 'Upcoming', 'Started'])),
  iids: Type.Optional(list(integer(), { comma: true, description: 'Numbers in their project.' })),
  author_id: Type.Optional(integer()),
  author_username: Type.Optional(text({ max: 255 })),
  assignee_id: Type.Optional(integerOr(noneOrAny, { description: 'A user; 0 or `None` for nobody.' })),
  assignee_username: names('Assigned to all of them.'),
  my_reaction_emoji: Type.Optional(
    text({ max: 255, description: 'An emoji with which you reacted; or `None`, `Any`.' }),
  ),
}

/** Of these filters only one may be given. */
export const sharedExcludes = {
  author_id: ['author_username'],
  assignee_id: ['assignee_username'],
  milestone_id: ['milestone'],
}

/** Further filters of lists of every kind. */
export const sharedFilters = {
  search: Type.Optional(
    text({
      max: 1024,
      description: 'Words, or their beginnings, that must all be in the title or description.',
    }),
  ),
  in: Type.Optional(
    list(oneOf(['title', 'description']), {
      comma: true,
      description: 'Where to search; in both by default.',
    }),
  ),
  created_after: Type.Optional(moment()),
  created_before: Type.Optional(moment()),
  updated_after: Type.Optional(moment()),
  updated_before: Type.Optional(moment()),
}

export const withLabelsDetails = {
  with_labels_details: Type.Boolean({ default: false, description: 'Labels with all their fields.' }),
}
