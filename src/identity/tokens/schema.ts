import { Type } from 'typebox'
import { scopes } from '#platform/access/scopes.ts'
import { sortParameters } from '#platform/http/order.ts'
import { day, flag, list, moment, nullable, oneOf, text } from '#platform/http/schema.ts'
import { tokenOrder } from './queries.ts'

/* Parameters of access tokens of every kind. */

/** What every list of access tokens takes. */
export const TokenFilter = Type.Object({
  ...sortParameters(tokenOrder),
  created_after: Type.Optional(moment()),
  created_before: Type.Optional(moment()),
  expires_after: Type.Optional(day()),
  expires_before: Type.Optional(day()),
  last_used_after: Type.Optional(moment()),
  last_used_before: Type.Optional(moment()),
  revoked: Type.Optional(flag({ description: 'Only revoked tokens, or only others.' })),
  search: Type.Optional(text({ description: 'Part of the name.' })),
  state: Type.Optional(
    oneOf(['active', 'inactive'], { description: 'Inactive are the expired and the revoked.' }),
  ),
})

const expires_at = Type.Optional(day({ description: 'The day on which it stops working.' }))

export const NewToken = Type.Object({
  name: text({ max: 255, filled: true }),
  description: Type.Optional(nullable(text({ max: 255 }))),
  scopes: list(oneOf(scopes), { comma: true }),
  expires_at,
})

export const Rotation = Type.Object({ expires_at })
