import compress from '@fastify/compress'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Media types that are text: JSON, pages, stylesheets, CSV, metrics. Nothing else is compressed. */
const TEXT = /^(?:application\/json|text\/)/

/** Compresses answers above 1 KB for clients that accept it. Call it before the first route is declared. */
export async function compressAnswers(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    // The first of them that a client accepts; zstd costs a third of gzip.
    encodings: ['zstd', 'br', 'gzip'],
    threshold: 1024,
    // Up to this size the plugin compresses at once, in less than a millisecond. Longer texts go through a thread.
    syncThreshold: 32 * 1024,
    // Of gzip. The default level takes four times as long and saves a third of the bytes.
    zlibOptions: { level: 3 },
    // bodies.ts refuses compressed bodies.
    globalDecompression: false,
  })
  // For HEAD, Fastify replaces the body by its length, and the plugin adds itself after that. The other way round,
  // HEAD and GET have the same headers.
  app.addHook('onRoute', (route) => {
    if (route.method === 'HEAD' && Array.isArray(route.onSend)) route.onSend.reverse()
  })
}

/**
 * Whether what is sent depends on the encodings that the client accepts. A request with a cookie gets it as it is:
 * pages have secrets beside what the request says, and the length of a compressed answer would give them away (BREACH).
 */
export function isCompressible({ headers }: FastifyRequest, reply: FastifyReply): boolean {
  return headers.cookie === undefined && TEXT.test(String(reply.getHeader('content-type')))
}

/** Sends the answer to this request as it is, whatever the client accepts. */
export function leaveUncompressed(request: FastifyRequest): void {
  delete request.headers['accept-encoding']
}
