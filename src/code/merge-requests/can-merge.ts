import type { FastifyRequest } from 'fastify'
import { isGranted, protecting } from '#code/protected-references/may.ts'
import { protectionsOf } from '#code/protected-references/rows.ts'
import { changerOf } from '#code/repositories/change-as.ts'

/** Whether the caller may merge into a branch of the project that the route names. */
export async function canMergeInto(req: FastifyRequest, branch: string): Promise<boolean> {
  const { container, can } = req.project()
  if (req.identity === null || req.identity === undefined || !can('push_code')) return false
  const changer = changerOf(req)
  const { today } = req.viewer
  const query = { projectId: container.id, kind: 'branch', userId: changer.userId, today } as const
  const found = protecting(await protectionsOf(req.server.db, query), branch)
  return found.length === 0 || found.some((one) => isGranted(one, 'merge', changer))
}
