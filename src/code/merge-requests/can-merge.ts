import type { FastifyRequest } from 'fastify'
import { mayMergeInto, mergeActorOf } from './merge/merge-actor.ts'

/** Whether the caller may merge into a branch of the project that the route names. */
export async function canMergeInto(req: FastifyRequest, branch: string): Promise<boolean> {
  if (req.identity === null || req.identity === undefined) return false
  return mayMergeInto(req.server.db, mergeActorOf(req), branch)
}
