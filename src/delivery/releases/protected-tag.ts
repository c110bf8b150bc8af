import type { FastifyRequest } from 'fastify'
import { isGranted, protecting } from '#code/protected-references/may.ts'
import { protectionsOf } from '#code/protected-references/rows.ts'
import { changerOf } from '#code/repositories/change-as.ts'
import { forbidden } from '#platform/refusals.ts'

/** Whoever may not create a protected tag may not touch its release either. @throws 403 */
export async function assertMayRelease(req: FastifyRequest, tag: string): Promise<void> {
  const changer = changerOf(req)
  const query = { projectId: req.project().container.id, userId: changer.userId, today: req.viewer.today }
  const found = protecting(await protectionsOf(req.server.db, { ...query, kind: 'tag' }), tag)
  if (found.length > 0 && !found.some((one) => isGranted(one, 'create', changer)))
    throw forbidden(`you may not create the protected tag ${tag}`)
}
