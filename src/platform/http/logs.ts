import type { FastifyInstance } from 'fastify'
import { innerOf } from './inner-requests.ts'
import { SecretParameters } from './secret-parameters.ts'

/** Writes one line for each answer: the request without its secrets, the caller, the outcome and the duration. */
export function logRequests(app: FastifyInstance): void {
  const secrets = new SecretParameters()
  secrets.watch(app)
  // A callback, as in all hooks that wait for nothing: promises would cost each request some microseconds.
  app.addHook('onResponse', (request, reply, done) => {
    // The page that asked has a line.
    if (innerOf(request) !== undefined) return done()
    request.log.info(
      {
        method: request.method,
        url: secrets.without(request.raw.url ?? ''),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ip: request.ip,
        user: request.identity?.user.username,
      },
      'request',
    )
    done()
  })
}
