import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PageQuery } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { audienceOf } from './audience.ts'
import type { EitherProject } from './entity.ts'
import { filterProjects, withSimilarity } from './filters.ts'
import { projectOrder } from './order.ts'
import type { Filter } from './parameters.ts'
import { presentProjects, presentSimpleProjects } from './present-projects.ts'
import { type ProjectQuery, type ProjectRow, projectsFor } from './queries.ts'

type Request = FastifyRequest & { readonly query: PageQuery & Filter }

export interface Scope {
  /** Narrows to the projects that this list is about. */
  readonly among?: (projects: ProjectQuery) => ProjectQuery
  /** Shows all fields to anonymous callers, too. */
  readonly full?: boolean
}

/**
 * Every list of projects: those of `among` that the viewer may see, filtered and sorted as the request asks.
 * @throws as {@link filterProjects} and {@link paginate} do
 */
export async function listProjects(
  req: Request,
  reply: FastifyReply,
  { among = (projects) => projects, full = false }: Scope = {},
): Promise<EitherProject[]> {
  const { viewer, query } = req
  const projects = filterProjects(among(projectsFor(req.server.db, viewer)), query, viewer)
  const rows: ProjectRow[] =
    query.order_by === 'similarity'
      ? await paginate(req, reply, withSimilarity(projects, query.search ?? ''), projectOrder)
      : await paginate(req, reply, projects, projectOrder)
  const signedIn = viewer.id !== null
  const simple = query.simple === true || !(signedIn || full)
  const present = simple ? presentSimpleProjects : presentProjects
  const { statistics = false, with_custom_attributes = false } = query
  const permissions = signedIn && !simple
  return present(rows, audienceOf(req), { permissions, statistics, with_custom_attributes })
}
