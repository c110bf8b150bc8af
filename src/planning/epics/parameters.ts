import { type Static, Type } from 'typebox'
import { orderParameters, pageParameters } from '#platform/http/order.ts'
import {
  ById,
  day,
  emptiable,
  flag,
  integer,
  list,
  MAX_INT4,
  moment,
  nullable,
  oneOf,
  rules,
  text,
} from '#platform/http/schema.ts'
import { epicOrder } from './list-order.ts'

const id = (description: string) => integer({ minimum: 1, description })
const iid = integer({ minimum: 1, maximum: MAX_INT4, description: 'The number of the epic in its group.' })

/** How most paths name an epic. Those of its notes have its id. */
export const epicNumber = { param: 'epic_iid', schema: iid }

export const ByEpic = Type.Object({ ...ById.properties, epic_iid: iid })
export const ByChild = Type.Object({
  ...ByEpic.properties,
  child_epic_id: id('The id of the other epic, not its number.'),
})
export const ByIssueOfEpic = Type.Object({
  ...ByEpic.properties,
  epic_issue_id: id('The id of the issue in the epic: `epic_issue_id` in the list.'),
})
export const ByAddedIssue = Type.Object({
  ...ByEpic.properties,
  issue_id: id('The id of the issue, not its number.'),
})
export const ByEpicLink = Type.Object({
  ...ByEpic.properties,
  related_epic_link_id: id('The id of the link.'),
})

const nameList = (description: string) =>
  Type.Optional(emptiable(text({ max: 255 }), { description: `${description} With commas, or a list.` }))

const entitled = 'Only from owners and administrators. From others, the server ignores it.'
const fixed = (which: string) => ({
  description: `Whether the ${which} date is the fixed one; otherwise the epic inherits it.`,
})
const color = text({ max: 255, filled: true, description: '`#rrggbb` or the name of a CSS color.' })

const common = {
  labels: nameList('All labels, by name. The server creates unknown ones.'),
  description: Type.Optional(nullable(text({ max: 1_048_576 }))),
  color: Type.Optional(color),
  confidential: Type.Optional(flag()),
  start_date_is_fixed: Type.Optional(flag(fixed('start'))),
  start_date_fixed: Type.Optional(nullable(day())),
  due_date_is_fixed: Type.Optional(flag(fixed('due'))),
  due_date_fixed: Type.Optional(nullable(day())),
  parent_id: Type.Optional(
    nullable(integer({ minimum: 0, description: 'The id of the epic above it; 0 or blank for none.' })),
  ),
}
const title = text({ max: 255, filled: true })

export const NewEpic = Type.Object({
  title,
  ...common,
  created_at: Type.Optional(moment({ description: entitled })),
})

const allChanges = {
  title: Type.Optional(title),
  ...common,
  add_labels: nameList('Labels to add.'),
  remove_labels: nameList('Labels to remove.'),
  state_event: Type.Optional(oneOf(['close', 'reopen'])),
}
export const EpicChanges = Type.Object(
  { ...allChanges, updated_at: Type.Optional(moment({ description: entitled })) },
  rules({ atLeastOneOf: Object.keys(allChanges) }),
)

/** A new epic below another one. */
export const NewChild = Type.Object({
  title,
  confidential: Type.Optional(
    flag({ description: 'By default, it is confidential if the epic above it is.' }),
  ),
})

export const Neighbours = Type.Object(
  {
    move_before_id: Type.Optional(id('The id of the one that comes before this one.')),
    move_after_id: Type.Optional(id('The id of the one that comes after this one.')),
  },
  rules({ atLeastOneOf: ['move_before_id', 'move_after_id'] }),
)
export const EpicPages = Type.Object(pageParameters)

export const NewEpicLink = Type.Object({
  target_group_id: text({ description: 'The id or path of the group of the other epic.' }),
  target_epic_iid: integer({ minimum: 1, maximum: MAX_INT4 }),
  link_type: Type.Optional(oneOf(['relates_to', 'blocks', 'is_blocked_by'])),
})

const negatable = {
  author_id: Type.Optional(integer()),
  author_username: Type.Optional(text()),
  labels: Type.Optional(list(text(), { max: 50, comma: true, description: 'By name; or `None`, `Any`.' })),
  my_reaction_emoji: Type.Optional(
    text({ description: 'An emoji with which you reacted; or `None`, `Any`.' }),
  ),
}
const eitherWay = rules({ excludes: { author_id: ['author_username'] } })

export const EpicFilter = Type.Object(
  {
    ...orderParameters(epicOrder),
    ...negatable,
    not: Type.Optional(
      Type.Object(negatable, {
        ...eitherWay,
        description: 'Negates filters. With several labels, epics that have none of them.',
      }),
    ),
    with_labels_details: Type.Boolean({ default: false, description: 'Labels with all their fields.' }),
    search: Type.Optional(
      text({
        max: 1024,
        description: 'Words, or their beginnings, that must all be in the title or description.',
      }),
    ),
    state: Type.Optional(oneOf(['opened', 'closed', 'all'], { description: '`all` by default.' })),
    confidential: Type.Optional(flag()),
    iid: Type.Optional(integer({ description: 'The number in its group.' })),
    iids: Type.Optional(list(integer(), { comma: true, description: 'Numbers in their group.' })),
    created_after: Type.Optional(moment()),
    created_before: Type.Optional(moment()),
    updated_after: Type.Optional(moment()),
    updated_before: Type.Optional(moment()),
    include_ancestor_groups: Type.Boolean({
      default: false,
      description: 'Whether to list the epics of the groups above as well.',
    }),
    include_descendant_groups: Type.Boolean({
      default: true,
      description: 'Whether to list the epics of the groups below as well.',
    }),
  },
  eitherWay,
)
export type Filter = Static<typeof EpicFilter>
export type NegatableFilter = NonNullable<Filter['not']>
