import type { FastifyRequest } from 'fastify'
import type { AuthorizedContainer } from '#platform/access/projects-and-groups.ts'
import { notFound } from '#platform/refusals.ts'
import { presentInvitedGroup } from '#tenancy/groups/entity.ts'
import { audienceOf } from '#tenancy/projects/audience.ts'
import { presentSimpleProject } from '#tenancy/projects/present-projects.ts'
import { projectsFor } from '#tenancy/projects/queries.ts'
import type { BoardHome } from './entity.ts'

/** The project or group whose boards a request is about, as the caller sees it. All of them show it, and it is read once. @param boards how many there are */
export async function homeOf(
  req: FastifyRequest,
  container: AuthorizedContainer['container'],
  boards = 1,
): Promise<BoardHome> {
  if (container.kind === 'group') return { project: null, group: presentInvitedGroup(container, req.site) }
  if (boards === 0) return { project: null, group: null }
  const row = await projectsFor(req.server.db, req.viewer)
    .where('p.id', '=', container.id)
    .executeTakeFirstOrThrow(() => notFound('Project'))
  return { project: presentSimpleProject(row, audienceOf(req)), group: null }
}
