import type { FastifyInstance } from 'fastify'
import { hostOfImagesAlone } from '#platform/config/registry-host.ts'

/** What clients of images ask for: the images, and the tokens for them. */
const OF_IMAGES = /^\/(?:v2(?:[/?]|$)|jwt\/auth(?:\?|$))/

/** Answers 404 to all that is not about images where they have a host of their own, or where the server listens for them. */
export function keepImagesApart(app: FastifyInstance): void {
  const { config } = app.services
  const { registryAddress } = config
  const host = hostOfImagesAlone(config)
  if (host === undefined && registryAddress === undefined) return
  app.addHook('onRequest', (request, reply, done) => {
    const isForImages =
      request.host === host ||
      (registryAddress !== undefined && request.socket.localPort === registryAddress.port)
    if (!isForImages || OF_IMAGES.test(request.url)) done()
    else reply.code(404).type('application/json').send('{"error":"404 Not Found"}')
  })
}
