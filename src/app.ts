import { randomUUID } from 'node:crypto'
import type { RequestListener, Server } from 'node:http'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'

import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { activity } from '#activity/index.ts'
import { administration } from '#administration/index.ts'
import { ci } from '#ci/index.ts'
import { code } from '#code/index.ts'
import { consoleFeatures } from '#console/index.ts'
import { delivery } from '#delivery/index.ts'
import { identity } from '#identity/index.ts'
import { monitoring } from '#monitoring/index.ts'
import { planning } from '#planning/index.ts'
import { registries } from '#registries/index.ts'
import { installFeatures } from '#platform/feature.ts'
import { platform } from '#platform/index.ts'
import { tenancy } from '#tenancy/index.ts'
import { compressAnswers } from '#platform/http/compression.ts'
import { createHttpServer } from '#platform/http/connections.ts'
import { assertBounds } from '#platform/http/bounds.ts'
import { recognizeBrowserSession } from '#platform/http/browser-sessions.ts'
import { identifyCallers } from '#platform/http/callers.ts'
import { writeError } from '#platform/http/errors.ts'
import { sendRefusal } from '#platform/pages/page.ts'
import { invalidParameters, notFound } from '#platform/refusals.ts'
import { announceDeprecations } from '#platform/http/deprecations.ts'
import { requestIds, sendHeaders } from '#platform/http/headers.ts'
import type { ParameterSchema } from '#platform/http/parameter-schema.ts'
import { readParameters } from '#platform/http/parameters.ts'
import { BodyMemory } from '#platform/http/incoming.ts'
import { logRequests } from '#platform/http/logs.ts'
import { keepImagesApart } from '#platform/http/registry-addresses.ts'
import { prepareRequests } from '#platform/http/requests.ts'
import { answerUnrouted, API, KnownRoutes, routerOptions } from '#platform/http/routing.ts'
import { serializers } from '#platform/http/serializers.ts'
import { traceRequests } from '#platform/telemetry/trace-requests.ts'
import { defaultTransport, type Transport } from '#platform/http/transport.ts'
import type { Services } from './services.ts'

/** The districts, from the lowest to the highest. Each lists its features. */
export const districts = {
  platform,
  identity,
  tenancy,
  planning,
  code,
  delivery,
  ci,
  monitoring,
  registries,
  activity,
  administration,
  console: consoleFeatures,
}
const features = Object.values(districts).flat()
installFeatures(features)

/** The background tasks of all features, and their schedule. */
export const tasks = features.flatMap((feature) => feature.tasks ?? [])
export const schedule = features.flatMap((feature) => feature.schedule ?? [])

const rewrites = features.flatMap((feature) => feature.rewrites ?? [])

/**
 * Builds the server: first what all requests share, then what the features add. It does not listen yet.
 * @throws when a route lacks its access or its answers, or accepts anything without a maximum.
 */
export async function buildApp(
  services: Services,
  log: FastifyBaseLogger,
  transport: Transport = defaultTransport,
): Promise<FastifyInstance> {
  const { config } = services
  const routes = new KnownRoutes()
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    genReqId: requestIds(randomUUID().slice(0, 8)),
    requestIdHeader: false,
    rewriteUrl: ({ method = 'GET', url = '/', headers: { accept = '' } }) =>
      routes.withoutSuffix(
        method,
        rewrites.reduce((rewritten, rewrite) => rewrite(rewritten, method, accept), url),
      ),
    // A parser that throws here would leave the request without an answer. requests.ts reads the query instead.
    routerOptions: { ...routerOptions, querystringParser: () => ({}) },
    serverFactory: (handle) => httpServerOf(services, transport, handle),
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.decorate('services', services)
  app.decorate('db', services.db)
  app.decorate('transport', transport)
  app.decorate('bodyMemory', new BodyMemory(transport.memory))
  app.setValidatorCompiler<ParameterSchema>(({ schema }) => validate(schema))
  app.setSerializerCompiler(serializers)
  app.setErrorHandler(writeError)
  // platform/http/recognize.ts reads bodies, once it knows who sends them.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  logRequests(app)
  services.metrics.measureRequests(app)
  if (services.tracer !== undefined) traceRequests(app, services.tracer)
  sendHeaders(app)
  announceDeprecations(app)
  await compressAnswers(app)
  answerUnrouted(app, routes, async (request, reply) => {
    await recognizeBrowserSession(request, 'anyone')
    return sendRefusal(notFound(), request, reply)
  })
  assertBounds(app)
  identifyCallers(app)
  keepImagesApart(app)
  prepareRequests(app)
  for (const { routes, pages } of features) {
    for (const route of routes ?? []) await app.register(route, { prefix: API })
    for (const page of pages ?? []) await app.register(page)
  }
  return app
}

/** A server for one address at which the server listens. */
export const httpServerOf = (
  { config, limits }: Pick<Services, 'config' | 'limits'>,
  transport: Transport,
  handle: RequestListener,
): Server =>
  createHttpServer(handle, { ...transport, ...config, onRefusal: (name) => limits.noteRefusal(name) })

/** One reader serves all parameters, so nothing is compiled at start. */
function validate(schema: ParameterSchema) {
  return (input: unknown) => {
    const parameters = typeof input === 'object' && input !== null ? { ...input } : {}
    const read = readParameters(schema, parameters)
    return 'value' in read ? { value: read.value } : { error: invalidParameters(read.problems) }
  }
}
