import type { FastifyReply, FastifyRequest } from 'fastify'
import { leaveUncompressed } from '#platform/http/compression.ts'

/** What each answer of a registry has: the version of its protocol, and bytes as they are, whose digests clients verify. */
export function protocolHeaders(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  leaveUncompressed(request)
  reply.header('docker-distribution-api-version', 'registry/2.0')
  done()
}
