import type { FastifyRequest } from 'fastify'
import { BRANCHES, TAGS } from '#code/git/names.ts'
import { resolve } from '#code/git/resolve.ts'
import { requestedRepository } from '#code/repositories/requested.ts'
import { invalid } from '#platform/refusals.ts'

/** The whole name of a branch or tag that a client names. @throws 400 where there is none */
export async function wholeName(req: FastifyRequest, ref: string): Promise<string> {
  const repository = await requestedRepository(req)
  if (repository !== undefined) {
    if (/^refs\/(?:heads|tags)\/./.test(ref) && (await resolve(repository, ref))) return ref
    if (await resolve(repository, ref, 'heads')) return BRANCHES + ref
    if (await resolve(repository, ref, 'tags')) return TAGS + ref
  }
  throw invalid({ base: ['Reference not found'] })
}
