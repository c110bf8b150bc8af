import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { flag, idOrPath, integer, list, moment, oneOf, text } from '#platform/http/schema.ts'
import { deployTokenScopes } from '#platform/access/deploy-token-scopes.ts'

export const ByDeployToken = Type.Object({
  id: idOrPath({ description: 'The id or the URL-encoded path.' }),
  token_id: integer({ description: 'The id of a deploy token.' }),
})

export const DeployTokenFilter = Type.Object({
  ...pageParameters,
  active: Type.Optional(flag({ description: '`true` for tokens only that have not expired.' })),
})

export const NewDeployToken = Type.Object({
  name: text({ filled: true }),
  scopes: list(oneOf(deployTokenScopes), { comma: true }),
  expires_at: Type.Optional(
    moment({ description: 'When the token stops working. Without it, the token does not expire.' }),
  ),
  username: Type.Optional(text({ description: '`gitlab+deploy-token-{id}` by default.' })),
})
