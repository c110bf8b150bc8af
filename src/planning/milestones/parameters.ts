import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import {
  day,
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

export const Filter = Type.Object({
  ...pageParameters,
  iids: Type.Optional(
    list(integer({ minimum: 1, maximum: MAX_INT4 }), {
      comma: true,
      description: 'Numbers within the project or group. Has no effect with `include_ancestors`.',
    }),
  ),
  state: Type.Optional(oneOf(['active', 'closed', 'all'])),
  title: Type.Optional(text({ description: 'The exact title.' })),
  search: Type.Optional(text({ description: 'Part of the title or description.' })),
  search_title: Type.Optional(text({ description: 'Words that must all be in the title.' })),
  include_ancestors: Type.Optional(flag({ description: 'Also milestones of the groups above.' })),
  include_parent_milestones: Type.Optional(
    Type.Boolean({ deprecated: true, description: 'The older name of `include_ancestors`.' }),
  ),
  updated_before: Type.Optional(moment()),
  updated_after: Type.Optional(moment()),
  containing_date: Type.Optional(day({ description: 'Milestones that run on this day.' })),
  start_date: Type.Optional(day({ description: 'Milestones that run on this day or later.' })),
  end_date: Type.Optional(day({ description: 'Milestones that run on this day or earlier.' })),
})

const title = text({ max: 255, filled: true })

const optional = {
  description: Type.Optional(nullable(text({ max: 1_048_576 }))),
  due_date: Type.Optional(nullable(day())),
  start_date: Type.Optional(nullable(day())),
}

export const NewMilestone = Type.Object({ title, ...optional })

const changes = {
  title: Type.Optional(title),
  ...optional,
  state_event: Type.Optional(oneOf(['close', 'activate'])),
}

export const MilestoneChanges = Type.Object(changes, rules({ atLeastOneOf: Object.keys(changes) }))

export const Page = Type.Object(pageParameters)
