import { Type } from 'typebox'
import { scopes } from '#platform/access/scopes.ts'
import { pageParameters } from '#platform/http/order.ts'
import { integer, list, oneOf, oneOfNumbers, text } from '#platform/http/schema.ts'
import { NewToken, TokenFilter } from './schema.ts'

export const ByToken = Type.Object({ id: integer() })
export const ByUser = Type.Object({ user_id: integer() })
export const ByImpersonationToken = Type.Object({ user_id: integer(), impersonation_token_id: integer() })

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

/** Tokens that people may give themselves through the API. They grant access to nothing else. */
export const NewOwnToken = Type.Object({
  ...NewToken.properties,
  scopes: list(oneOf(['k8s_proxy', 'self_rotate']), { comma: true }),
})

/**
 * The form of a personal token. It takes any scope that the user could have, and reports a missing scope beside the
 * boxes.
 */
export const TokenForm = Type.Object({
  ...NewToken.properties,
  scopes: Type.Optional(list(oneOf(scopes))),
})

export const TokenPage = Type.Object({
  name: Type.Optional(text({ max: 255, description: 'To begin the form with, as the next two.' })),
  description: Type.Optional(text({ max: 255 })),
  scopes: Type.Optional(list(text(), { comma: true })),
  before: Type.Optional(integer({ description: 'Only tokens older than the one with this id.' })),
})
