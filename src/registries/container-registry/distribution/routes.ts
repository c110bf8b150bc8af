import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { outside } from '#platform/access/route-access.ts'
import { streamed } from '#platform/http/body-kind.ts'
import { text } from '#platform/http/schema.ts'
import { type Action, type Bearer, Bearers } from '../../oci/bearer.ts'
import { RegistryError, writeRegistryError } from '../../oci/errors.ts'
import { identifyPuller } from '../../oci/identify.ts'
import { protocolHeaders } from '../../oci/protocol.ts'
import { recentBytes } from '../../oci/recent-bytes.ts'
import { scopeOf } from '../../oci/scopes.ts'
import { authorizeRepository, wanted } from '../authorize.ts'
import { answerBlob, answerManifest, answerReferrers, answerTags } from './answer-content.ts'
import { answerUpload, answerUploads } from './answer-uploads.ts'
import { answerCatalog } from './catalog.ts'
import type { Exchange } from './context.ts'
import { readTarget, type Target } from './paths.ts'

const params = Type.Object({ '*': text({ max: 1024 }) })

/** Pushes and pulls of images of projects, by the OCI distribution specification 1.1. */
export const distributionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { services } = app
  const bearers = new Bearers(services)
  const recent = recentBytes()
  const ending = new Set<string>()
  app.addHook('onRequest', protocolHeaders)
  const route = { errorHandler: writeRegistryError, exposeHeadRoute: false, schema: { params } }

  /** Whether a token is for a repository. */
  const covers = (name: string, action: Action) => (bearer: Bearer) =>
    bearer.repositories.some((scope) => scope.name === name && scope.actions.includes(action))

  const exchangeOf = (req: FastifyRequest, reply: FastifyReply): Exchange => {
    const authorize = async (name: string, action: Action) => {
      const scope = scopeOf(name, wanted[action])
      const puller = await identifyPuller(bearers, req, scope, covers(name, action))
      return authorizeRepository(req, puller, name, action)
    }
    return {
      req,
      reply,
      services,
      recent,
      ending,
      authorize,
      authorizeOther: async (name) => {
        try {
          return await authorize(name, 'pull')
        } catch (error) {
          if (error instanceof RegistryError) return undefined
          throw error
        }
      },
    }
  }

  app.route({
    ...route,
    config: outside,
    method: ['GET', 'HEAD'],
    url: '/v2/_catalog',
    schema: {},
    handler: async (req, reply) =>
      answerCatalog(exchangeOf(req, reply), await identifyPuller(bearers, req, 'registry:catalog:*')),
  })

  app.route({
    ...route,
    config: outside,
    method: ['GET', 'HEAD'],
    url: '/v2/*',
    handler: (req, reply) => answer(exchangeOf(req, reply), readTarget(req.params['*'])),
  })

  app.route({
    ...route,
    config: { ...outside, ...streamed },
    method: ['POST', 'PUT', 'PATCH', 'DELETE'],
    url: '/v2/*',
    handler: (req, reply) => answer(exchangeOf(req, reply), readTarget(req.params['*'])),
  })
}

function answer(exchange: Exchange, target: Target): Promise<unknown> {
  switch (target.kind) {
    case 'uploads': {
      return answerUploads(exchange, target)
    }
    case 'upload': {
      return answerUpload(exchange, target)
    }
    case 'blob': {
      return answerBlob(exchange, target)
    }
    case 'manifest': {
      return answerManifest(exchange, target)
    }
    case 'tags': {
      return answerTags(exchange, target)
    }
    case 'referrers': {
      return answerReferrers(exchange, target)
    }
  }
}
