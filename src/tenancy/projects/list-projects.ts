import type { FastifyReply } from 'fastify'
import { keysetPage } from '#platform/http/keyset.ts'
import type { ListRequest, PageQuery } from '#platform/http/order.ts'
import { paginateIds } from '#platform/http/pagination.ts'
import { audienceOf } from './audience.ts'
import type { EitherProject } from './entity.ts'
import { filtersOf } from './filters.ts'
import { countProjects, everyProject, findPage, type ProjectSelection } from './list/find.ts'
import { readProjects } from './list/read.ts'
import type { Source } from './list/sources.ts'
import { projectOrder } from './order.ts'
import type { Filter } from './parameters.ts'
import { presentProjects, presentSimpleProjects } from './present-projects.ts'

type Request = ListRequest & { readonly query: PageQuery & Filter }

export interface Scope {
  /** Leads to the projects that this list is about; all projects by default. */
  readonly among?: Source
  /** Shows all fields to anonymous callers, too. */
  readonly full?: boolean
}

/**
 * Every list of projects: those of `among` that the viewer may see, filtered and sorted as the request asks.
 * @throws as {@link filtersOf} and {@link paginateIds} do
 */
export async function listProjects(
  req: Request,
  reply: FastifyReply,
  { among, full = false }: Scope = {},
): Promise<EitherProject[]> {
  const { viewer, query, server } = req
  const { db } = server
  const selection = selectionOf(req, among)
  const list = {
    find: (wanted: Parameters<typeof findPage>[2]) => findPage(db, selection, wanted),
    count: () => countProjects(db, selection),
    findByKeys: () => keysetPage(req, reply, everyProject(db, selection), projectOrder),
    read: (ids: readonly number[]) => readProjects(db, viewer, ids),
  }
  const rows = await paginateIds(req, reply, list, projectOrder)
  const signedIn = viewer.id !== null
  const simple = query.simple === true || !(signedIn || full)
  const present = simple ? presentSimpleProjects : presentProjects
  const { statistics = false, with_custom_attributes = false } = query
  const permissions = signedIn && !simple
  return present(rows, audienceOf(req), { permissions, statistics, with_custom_attributes })
}

/** What leads to the projects of the list leads to the fewest; other sources only test them. */
function selectionOf({ viewer, query }: Request, among: Source | undefined): ProjectSelection {
  const { sources, conditions, ...filters } = filtersOf(query, viewer)
  const [source, ...others] = among === undefined ? sources : [among, ...sources]
  return { ...filters, viewer, source, conditions: [...conditions, ...others.map(({ test }) => test)] }
}
