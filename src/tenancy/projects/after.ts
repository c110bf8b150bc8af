import type { FastifyRequest } from 'fastify'
import type { Tx } from '#platform/db/transaction.ts'
import { audienceOf, type PresentOptions } from './audience.ts'
import type { ProjectFields } from './entity.ts'
import { findProject } from './list/read.ts'
import { presentProject } from './present-projects.ts'

/** The answer to a write: the project's present state. */
export async function projectAfter(
  req: FastifyRequest,
  tx: Tx,
  id: number,
  wanted: PresentOptions = {},
): Promise<ProjectFields> {
  return presentProject(await findProject(tx.db, req.viewer, id), audienceOf(req), wanted)
}
