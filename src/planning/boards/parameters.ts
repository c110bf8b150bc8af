import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import {
  ById,
  count,
  emptiable,
  flag,
  integer,
  MAX_INT4,
  nullable,
  rules,
  text,
} from '#platform/http/schema.ts'
import { MAX_LABELS } from './limits.ts'

export const ByBoard = Type.Object({
  ...ById.properties,
  board_id: integer({ description: 'The id of a board.' }),
})

export const ByBoardList = Type.Object({
  ...ByBoard.properties,
  list_id: integer({ description: 'The id of a list of the board.' }),
})

export const Page = Type.Object(pageParameters)

const name = text({ max: 255, filled: true })

const optional = {
  hide_backlog_list: Type.Optional(flag({ description: 'Whether to hide the list of other open issues.' })),
  hide_closed_list: Type.Optional(flag({ description: 'Whether to hide the list of closed issues.' })),
  milestone_id: Type.Optional(
    nullable(integer({ description: 'The milestone of all issues on the board; 0 for any.' })),
  ),
  assignee_id: Type.Optional(
    nullable(integer({ description: 'To whom all issues on the board are assigned; 0 for anybody.' })),
  ),
  labels: Type.Optional(
    emptiable(text(), {
      max: MAX_LABELS,
      description: 'Names of labels that all issues on the board have. Missing labels are created.',
    }),
  ),
  weight: Type.Optional(nullable(count({ description: 'The weight of all issues on the board.' }))),
}

export const NewBoard = Type.Object({ name, ...optional })
export const BoardChanges = Type.Object({ name: Type.Optional(name), ...optional })

const kinds = {
  label_id: Type.Optional(integer({ description: 'A label of the project or group, or of a group above.' })),
  assignee_id: Type.Optional(integer({ description: 'Somebody who may read the project or group.' })),
  milestone_id: Type.Optional(
    integer({ description: 'A milestone of the project or group, or of a group above.' }),
  ),
}

export const NewList = Type.Object(kinds, rules({ exactlyOneOf: Object.keys(kinds) }))

export const ListChanges = Type.Object({
  position: integer({
    minimum: 0,
    maximum: MAX_INT4,
    description: 'The new position, from 0. Other lists make room.',
  }),
})
