import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { outside } from '#platform/access/route-access.ts'
import { isUnidentified } from '#platform/http/errors.ts'
import { Bearers, type Bearer, type Puller, TERM } from './bearer.ts'
import { RegistryError, writeRegistryError } from './errors.ts'
import { identifyByToken, identifyPuller } from './identify.ts'
import { protocolHeaders } from './protocol.ts'
import { readScope } from './scopes.ts'

/** How many images a client may ask for in one token. */
const MOST_SCOPES = 20
/** Scopes that say which virtual registry, and which repository of a project. */
type Asked = Pick<Bearer, 'registries' | 'repositories'>

/** The tokens of registries, and the place where their clients ask what to send. */
export const tokenRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app
  const bearers = new Bearers(services)
  app.addHook('onRequest', protocolHeaders)
  const route = { config: outside, errorHandler: writeRegistryError, exposeHeadRoute: false }
  const methods = ['GET', 'HEAD']

  app.route({
    ...route,
    method: methods,
    url: '/jwt/auth',
    schema: { querystring: Type.Object({}) },
    handler: async (req, reply) => {
      const asked = scopesOf(req)
      const token = await bearers.make(await bearerOf(req, asked))
      const issued_at = new Date(Math.floor(services.clock.now().getTime() / 1000) * 1000).toISOString()
      return reply
        .header('cache-control', 'no-store')
        .send({ token, access_token: token, expires_in: TERM, issued_at })
    },
  })

  app.route({
    ...route,
    method: methods,
    url: '/v2/',
    handler: async (req, reply) => {
      await identifyPuller(bearers, req, undefined)
      return reply.send({})
    },
  })
}

/** Who asks, and for what. Without credentials one may pull from repositories, of which only those of public projects answer. */
async function bearerOf(req: FastifyRequest, asked: Asked): Promise<Bearer> {
  const { registries, repositories } = asked
  if (req.headers.authorization === undefined && registries.length === 0 && repositories.length > 0) {
    const puller: Puller = { kind: 'anonymous' }
    return { puller, registries, repositories: repositories.map(({ name }) => ({ name, actions: ['pull'] })) }
  }
  const puller = await identifyByToken(req).catch((error: unknown) => {
    if (isUnidentified(error))
      throw new RegistryError(401, 'UNAUTHORIZED', 'authentication required', {
        'www-authenticate': 'Basic realm="Forgelet", charset="UTF-8"',
      })
    throw error
  })
  return { puller, registries, repositories }
}

/** Clients send several scopes with one name, or with spaces between them. */
function scopesOf({ raw }: FastifyRequest): Asked {
  const texts = new URLSearchParams((raw.url ?? '').split('?')[1] ?? '')
    .getAll('scope')
    .flatMap((text) => text.split(' '))
  const scopes = texts.slice(0, MOST_SCOPES).map(readScope)
  return {
    registries: [...new Set(scopes.flatMap((scope) => (typeof scope === 'number' ? [scope] : [])))],
    repositories: scopes.flatMap((scope) => (typeof scope === 'object' ? [scope] : [])),
  }
}
