import { Type } from 'typebox'
import { scopes } from '#platform/access/scopes.ts'
import { sortParameters } from '#platform/http/order.ts'
import { day, flag, list, moment, nullable, oneOf, text } from '#platform/http/schema.ts'
import { tokenOrder } from './queries.ts'

/* Parameters of access tokens of every kind. */

/** The filters of every list of access tokens. */
export const TokenFilter = Type.Object({
  ...sortParameters(tokenOrder),
  created_after: Type.Optional(moment()),
  created_before: Type.Optional(moment()),
  expires_after: Type.Optional(day()),
  expires_before: Type.Optional(day()),
  last_used_after: Type.Optional(moment()),
  last_used_before: Type.Optional(moment()),
  revoked: Type.Optional(flag({ description: '`true` for revoked tokens only, `false` for all others.' })),
  search: Type.Optional(text({ description: 'Part of the name.' })),
  state: Type.Optional(
    oneOf(['active', 'inactive'], { description: 'Inactive tokens are expired or revoked.' }),
  ),
})

const expires_at = Type.Optional(
  day({ description: 'The token stops working when this day begins, in UTC.' }),
)

export const NewToken = Type.Object({
  name: text({ max: 255, filled: true }),
  description: Type.Optional(nullable(text({ max: 255 }))),
  scopes: list(oneOf(scopes), { comma: true }),
  expires_at,
})

export const Rotation = Type.Object({ expires_at })
