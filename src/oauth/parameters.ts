import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { HttpError } from '#http/errors.ts'
import { flag, integer, text } from '#http/schema.ts'

/** Characters of tokens, codes and addresses. */
const MAX_SECRET = 2_048

const optional = (max = MAX_SECRET) => Type.Optional(text({ max }))

/** How a client says who it is, unless by HTTP Basic (RFC 6749 §2.3.1). */
const client = { client_id: optional(255), client_secret: optional(255) }

export const ClientParameters = Type.Object(client)
export type ClientParameters = Static<typeof ClientParameters>

/** What any grant asks for; each verb knows which of them it needs. */
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

/** RFC 6749 §4.1.1, RFC 7636 §4.3. All optional: what is missing is told to the person or to the application. */
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
export const RevokedPage = Type.Object({ revoked: Type.Optional(flag()) })

/**
 * Reads parameters as OAuth wants them (RFC 6749 §3.1, §3.2): none twice, blank ones as if they were absent, those of
 * writes in the body alone. Names with brackets mean nothing here.
 */
export function readPlainParameters(app: FastifyInstance): void {
  const form = 'application/x-www-form-urlencoded'
  app.removeContentTypeParser(form)
  app.addContentTypeParser(form, { parseAs: 'string' }, async (_: FastifyRequest, body: string) =>
    readOnce(body),
  )
  app.addHook('preValidation', async (request) => {
    const url = request.raw.url ?? ''
    const start = url.indexOf('?')
    request.query = start < 0 ? {} : readOnce(url.slice(start + 1))
    request.body = withoutBlanks(request.body)
  })
}

/** @throws 400 for a name that comes twice. */
function readOnce(pairs: string): Record<string, string> {
  const read = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(pairs)) {
    if (read.has(name)) throw new HttpError(400, { error: `${name.slice(0, 40)} is given twice` })
    read.set(name, value)
  }
  return withoutBlanks(Object.fromEntries(read))
}

function withoutBlanks<Value>(values: Readonly<Record<string, Value>>): Record<string, Value>
function withoutBlanks(values: unknown): Record<string, unknown>
function withoutBlanks(values: unknown): Record<string, unknown> {
  const all: [string, unknown][] = typeof values === 'object' && values !== null ? Object.entries(values) : []
  return Object.fromEntries(all.filter(([, value]) => value !== ''))
}
