import { type Static, Type } from 'typebox'
import { integer, text } from '#platform/http/schema.ts'

/** The largest length of tokens, codes and addresses. */
const MAX_SECRET = 2_048

const optional = (max = MAX_SECRET) => Type.Optional(text({ max }))

/** How a client identifies itself, unless by HTTP Basic (RFC 6749 §2.3.1). */
const client = { client_id: optional(255), client_secret: optional(255) }

export const ClientParameters = Type.Object(client)
export type ClientParameters = Static<typeof ClientParameters>

/** The parameters of all grants; each function checks for those that it needs. */
export const TokenRequest = Type.Object({
  ...client,
  grant_type: text(),
  code: optional(),
  redirect_uri: optional(),
  code_verifier: optional(),
  refresh_token: optional(),
  device_code: optional(),
  scope: optional(),
})
export type TokenRequest = Static<typeof TokenRequest>

export const TokenParameters = Type.Object({ ...client, token: text({ max: MAX_SECRET }) })

export const DeviceRequest = Type.Object({ ...client, scope: optional() })

/** RFC 6749 §4.1.1, RFC 7636 §4.3. All are optional, because the page or the application reports missing ones. */
export const AuthorizationParameters = Type.Object({
  client_id: optional(),
  redirect_uri: optional(),
  response_type: optional(),
  response_mode: optional(),
  scope: optional(),
  state: optional(6_144),
  code_challenge: optional(),
  code_challenge_method: optional(),
})
export type AuthorizationParameters = Static<typeof AuthorizationParameters>

export const Decision = Type.Object({
  ...AuthorizationParameters.properties,
  decision: text(),
})

export const UserCode = Type.Object({ user_code: optional(64) })
export const DeviceDecision = Type.Object({ ...UserCode.properties, decision: optional(16) })

export const ByApplication = Type.Object({ id: integer() })
