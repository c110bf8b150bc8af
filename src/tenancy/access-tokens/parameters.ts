import { Type } from 'typebox'
import { NewToken } from '#identity/tokens/schema.ts'
import { type MemberLevel, memberLevels } from '#platform/access/roles.ts'
import { resourceScopes } from '#platform/access/scopes.ts'
import { idOrPath, integer, list, oneOf, oneOfNumbers } from '#platform/http/schema.ts'

export const ByResourceToken = Type.Object({
  id: idOrPath({ description: 'The id or the URL-encoded path.' }),
  token_id: integer(),
})

export const NewResourceToken = Type.Object({
  ...NewToken.properties,
  scopes: list(oneOf(resourceScopes), { comma: true }),
  access_level: Type.Unsafe<MemberLevel>({
    ...oneOfNumbers(memberLevels, { description: 'The role of the bot. Not above your own role.' }),
    default: 40,
  }),
})
