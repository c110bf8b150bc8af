import type { FastifyInstance, FastifySchema } from 'fastify'
import type { RouteAccess } from '#platform/access/route-access.ts'
import { greatest } from '#platform/sequences.ts'
import { parameters } from './body-kind.ts'
import { bodyLimit } from './body-limits.ts'
import type { Deprecation } from './deprecations.ts'
import type { OwnRefusal } from './errors.ts'

/**
 * A route as it was declared: for the permission matrix, the OpenAPI document and other code that iterates over all
 * routes.
 */
export interface DeclaredRoute {
  readonly method: string
  readonly url: string
  readonly access: RouteAccess
  readonly schema: FastifySchema
}

declare module 'fastify' {
  interface FastifySchema {
    /** What the route does, in a few words: the title in the API reference. */
    readonly summary?: string
    /** Further explanation. */
    readonly description?: string
    /** Marks it in the description, and its answers (deprecations.ts). */
    readonly deprecated?: Deprecation | undefined
    /** Its own refusals, beyond those that follow from its access and parameters. */
    readonly refuses?: readonly OwnRefusal[]
    /** Whether what is written here may be taken for spam: refused with 400, or with 409 where a CAPTCHA helps. */
    readonly checkedForSpam?: true
  }
  interface FastifyInstance {
    /** Every route, without the HEAD routes that Fastify adds. */
    readonly declaredRoutes: DeclaredRoute[]
  }
}

/** Collects the routes, and refuses those that do not say what every route has to. */
export function collectRoutes(app: FastifyInstance): void {
  const declaredRoutes: DeclaredRoute[] = []
  app.decorate('declaredRoutes', declaredRoutes)
  app.addHook('onRoute', (route) => {
    const { method, url, config, schema = {}, exposeHeadRoute } = route
    const methods = [method].flat()
    const access = config?.access
    if (access === undefined) throw new Error(`${methods.join(', ')} ${url} declares no access`)
    if (schema.response === undefined && !access.outside) {
      throw new Error(`${methods.join(', ')} ${url} declares no answers`)
    }
    const body = config?.body ?? parameters
    if (body.as !== 'parameters' && schema.body !== undefined) {
      throw new Error(`${methods.join(', ')} ${url} declares parameters in a body that holds none`)
    }
    // A HEAD route derived from GET would produce the whole stream to throw it away.
    if (isStream(schema) && !methods.includes('HEAD') && exposeHeadRoute !== false) {
      throw new Error(`GET ${url} answers with a stream and does not declare HEAD`)
    }
    for (const name of methods) {
      if (name !== 'HEAD') declaredRoutes.push({ method: name, url, access, schema })
    }
    route.bodyLimit = greatest(
      0,
      methods.map((name) => bodyLimit(name, body, schema)),
    )
  })
}

/** Whether a route answers with something other than JSON, which is sent as a stream. */
function isStream({ response }: FastifySchema): boolean {
  if (typeof response !== 'object' || response === null || !('200' in response)) return false
  const { 200: answer } = response
  return typeof answer === 'object' && answer !== null && 'contentMediaType' in answer
}
