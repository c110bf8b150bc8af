import type { FastifyReply } from 'fastify'

/** What clients of LFS send and get. */
export const LFS_TYPE = 'application/vnd.git-lfs+json'

/** Answers as clients of LFS expect it. */
export const sendLfs = (reply: FastifyReply, status: number, body: object): FastifyReply =>
  reply
    .code(status)
    .header('cache-control', 'no-cache')
    .type(LFS_TYPE)
    .serializer(String)
    .send(JSON.stringify(body))
