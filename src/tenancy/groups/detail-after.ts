import type { FastifyRequest } from 'fastify'
import { authorizeGroup } from '#platform/access/authorize.ts'
import { levels } from '#platform/access/roles.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { audienceOf } from '#tenancy/projects/audience.ts'
import { presentGroupDetail } from './entity.ts'

/** The answer to a write: the group's present state. */
export async function detailAfter(req: FastifyRequest, tx: Tx, id: number) {
  const { container, accessContext } = await authorizeGroup(tx.db, req.viewer, String(id), 'read_group')
  const owner = req.viewer.admin || accessContext.level >= levels.owner
  return presentGroupDetail(tx.db, container, { ...audienceOf(req), owner, withProjects: true })
}
