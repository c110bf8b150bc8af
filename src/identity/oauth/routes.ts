import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { digestOf } from '#platform/access/digest.ts'
import { outside } from '#platform/access/route-access.ts'
import type { ApplicationRow } from '#identity/applications/entity.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { plainParameters } from '#platform/http/body-kind.ts'
import { throttleOAuth } from '#platform/http/throttles.ts'
import { authenticateClient, type FromClient, proofIn } from './clients.ts'
import { describeToClient, describeToHolder } from './describe-token.ts'
import { createDeviceCode } from './device-codes.ts'
import { answerWithOAuthErrors, invalidClient, OAuthError, refusedBearer } from './errors.ts'
import { exchangeCode } from './exchange-code.ts'
import { exchangeDeviceCode } from './exchange-device-code.ts'
import { grantClientCredentials } from './grant-client-credentials.ts'
import type { TokenAnswer } from './issue-tokens.ts'
import { lifetimes, POLL_INTERVAL } from './lifetimes.ts'
import { metadataOf } from './metadata.ts'
import { DeviceRequest, TokenParameters, TokenRequest } from './parameters.ts'
import { findActiveToken } from './queries.ts'
import { refreshTokens } from './refresh-tokens.ts'
import { revokeToken } from './revoke-token.ts'

type Exchange = (tx: Tx, client: ApplicationRow, given: TokenRequest) => Promise<TokenAnswer | OAuthError>

/** The grants of the token endpoint. The implicit and password grants are left out for good (RFC 9700 §2.1.2, §2.4). */
const exchanges = new Map<string, Exchange>([
  ['authorization_code', exchangeCode],
  ['refresh_token', refreshTokens],
  ['client_credentials', grantClientCredentials],
  ['urn:ietf:params:oauth:grant-type:device_code', exchangeDeviceCode],
])

/** Routes outside of the API, with parameters in OAuth's format. */
const plain = { ...outside, ...plainParameters }

/** The OAuth 2.0 endpoints that programs use; authorize-pages.ts and device-pages.ts have the pages. */
export const oauthRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app
  answerWithOAuthErrors(app)
  app.addHook('onRequest', async (_, reply) => {
    reply.header('cache-control', 'no-store')
  })
  /** Limits attempts: clients that keep failing to authenticate are refused for a while. */
  const watch = <T>(req: FromClient & { readonly ip: string }, work: () => Promise<T>): Promise<T> =>
    services.failedAuthentications.watch(req.ip, proofIn(req), work)

  app.post(
    '/oauth/token',
    { config: plain, schema: { body: TokenRequest }, onRequest: throttleOAuth('oauth_token_requests') },
    async (req): Promise<TokenAnswer> => {
      const exchange = exchanges.get(req.body.grant_type)
      if (exchange === undefined)
        throw new OAuthError('unsupported_grant_type', 'There is no such grant type.')
      // One transaction. It has no author, because the application asks.
      const answer = await watch(req, () =>
        transact(services, { author: null, ip: req.ip }, async (tx) =>
          exchange(tx, await authenticateClient(tx.db, req), req.body),
        ),
      )
      if (answer instanceof OAuthError) throw answer
      return answer
    },
  )

  app.post('/oauth/revoke', { config: plain, schema: { body: TokenParameters } }, async (req) => {
    await watch(req, () =>
      transact(services, { author: null, ip: req.ip }, async (tx) =>
        revokeToken(tx, await authenticateClient(tx.db, req), req.body.token),
      ),
    )
    return {}
  })

  app.post('/oauth/introspect', { config: plain, schema: { body: TokenParameters } }, async (req) => {
    const client = await watch(req, () => authenticateClient(db, req))
    // Only authenticated clients may ask (RFC 7662 §2.1).
    if (!client.confidential) throw invalidClient()
    const token = await findActiveToken(db, req.body.token, services.clock.now().toISOString())
    return describeToClient(token, client)
  })

  app.get('/oauth/token/info', { config: plain }, async (req) => {
    const secret = /^Bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1]
    if (secret === undefined) throw refusedBearer('invalid_request', 'The header with the token is missing.')
    const now = services.clock.now()
    return services.failedAuthentications.watch(req.ip, digestOf(secret), async () => {
      const token = await findActiveToken(db, secret, now.toISOString())
      if (token === undefined)
        throw refusedBearer('invalid_token', 'The token is unknown, expired or revoked.')
      return describeToHolder(token, now)
    })
  })

  const onRequest = throttleOAuth('oauth_device_codes')
  app.post(
    '/oauth/authorize_device',
    { config: plain, schema: { body: DeviceRequest }, onRequest },
    async (req) => {
      const codes = await watch(req, () =>
        transact(services, { author: null, ip: req.ip }, async (tx) =>
          createDeviceCode(tx, await authenticateClient(tx.db, req), req.body.scope),
        ),
      )
      const verification_uri = `${req.site}/oauth/device`
      return {
        ...codes,
        verification_uri,
        verification_uri_complete: `${verification_uri}?user_code=${codes.user_code}`,
        expires_in: lifetimes.deviceCode,
        interval: POLL_INTERVAL,
      }
    },
  )

  app.get('/.well-known/oauth-authorization-server', { config: plain }, async (req) => metadataOf(req.site))
}
