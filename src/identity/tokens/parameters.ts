import { Type } from 'typebox'
import { type MemberLevel, memberLevels } from '#platform/access/roles.ts'
import { placeScopes, scopes } from '#platform/access/scopes.ts'
import { pageParameters, sortParameters } from '#platform/http/order.ts'
import {
  day,
  flag,
  idOrPath,
  integer,
  list,
  moment,
  nullable,
  oneOf,
  oneOfNumbers,
  text,
} from '#platform/http/schema.ts'
import { tokenOrder } from './queries.ts'

export const ByToken = Type.Object({ id: integer() })
export const ByUser = Type.Object({ user_id: integer() })
export const ByImpersonationToken = Type.Object({ user_id: integer(), impersonation_token_id: integer() })

export const ByPlaceToken = Type.Object({
  id: idOrPath({ description: 'The id or the URL-encoded path.' }),
  token_id: integer(),
})

/** What every list of access tokens takes. */
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

export const PersonalTokenFilter = Type.Object({
  ...TokenFilter.properties,
  user_id: Type.Optional(integer({ description: 'The user; only administrators see the tokens of others.' })),
})

export const ImpersonationTokenFilter = Type.Object({
  ...pageParameters,
  state: Type.Unsafe<'all' | 'active' | 'inactive'>({
    ...oneOf(['all', 'active', 'inactive']),
    default: 'all',
  }),
})

export const AssociationFilter = Type.Object({
  ...pageParameters,
  min_access_level: Type.Optional(
    oneOfNumbers([10, 15, 20, 25, 30, 40, 50], {
      description: 'Only groups and projects in which the user has at least this role.',
    }),
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

/** What people may give themselves through the API: tokens that open nothing else. */
export const NewOwnToken = Type.Object({
  ...NewToken.properties,
  scopes: list(oneOf(['k8s_proxy', 'self_rotate']), { comma: true }),
})

export const NewPlaceToken = Type.Object({
  ...NewToken.properties,
  scopes: list(oneOf(placeScopes), { comma: true }),
  access_level: Type.Unsafe<MemberLevel>({
    ...oneOfNumbers(memberLevels, { description: 'The role of the bot. Not above your own role.' }),
    default: 40,
  }),
})

export const Rotation = Type.Object({ expires_at })

/** The form of one's own tokens: any scope that one could have, and none is a problem to show beside them. */
export const TokenForm = Type.Object({
  ...NewToken.properties,
  scopes: Type.Optional(list(oneOf(scopes))),
})

export const TokenPage = Type.Object({
  name: Type.Optional(text({ max: 255, description: 'To begin the form with, as the next two.' })),
  description: Type.Optional(text({ max: 255 })),
  scopes: Type.Optional(list(text(), { comma: true })),
  before: Type.Optional(integer({ description: 'Only tokens older than the one with this id.' })),
  revoked: Type.Optional(flag({ description: 'Whether to say that a token was revoked.' })),
})
