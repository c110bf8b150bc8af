import { Type } from 'typebox'
import { memberLevels, noCustomRoles } from '#platform/access/roles.ts'
import { refusedParameter } from '#platform/http/later.ts'
import { pageParameters } from '#platform/http/order.ts'
import {
  ById,
  day,
  entity,
  flag,
  integer,
  list,
  nullable,
  oneOf,
  oneOfNumbers,
  rules,
  text,
} from '#platform/http/schema.ts'

export const ByMember = Type.Object({ ...ById.properties, user_id: integer() })

const filter = {
  ...pageParameters,
  query: Type.Optional(text({ description: 'Part of the name or username.' })),
  user_ids: Type.Optional(list(integer(), { comma: true, description: 'Only these users.' })),
  show_seat_info: Type.Boolean({ default: false, description: 'Adds whether each user takes a seat.' }),
}

export const DirectMembers = Type.Object({
  ...filter,
  skip_users: Type.Optional(list(integer(), { comma: true, description: 'All except these users.' })),
})
export const AllMembers = Type.Object({
  ...filter,
  state: Type.Optional(oneOf(['awaiting', 'active'])),
})

const terms = {
  access_level: oneOfNumbers(memberLevels),
  expires_at: Type.Optional(nullable(day({ description: 'The day on which the membership ends.' }))),
  member_role_id: Type.Optional(integer(refusedParameter(noCustomRoles.member_role_id))),
}

export const NewMembers = Type.Object(
  {
    user_id: Type.Optional(list(integer(), { comma: true, description: 'One user, or several.' })),
    username: Type.Optional(list(text(), { comma: true, description: 'The same by name.' })),
    ...terms,
    invite_source: Type.Optional(text()),
  },
  rules({ exactlyOneOf: ['user_id', 'username'] }),
)

export const MemberTerms = Type.Object(terms)

export const RemovalOptions = Type.Object({
  skip_subresources: Type.Boolean({
    default: false,
    description: 'Whether memberships in subgroups and projects below stay.',
  }),
  unassign_issuables: Type.Optional(
    flag({ description: 'Whether to unassign the user from issues and merge requests there.' }),
  ),
})

export const SeveralAdded = entity('SeveralMembersAdded', {
  status: oneOf(['success', 'error']),
  message: Type.Optional(Type.Record(Type.String(), Type.String())),
})
