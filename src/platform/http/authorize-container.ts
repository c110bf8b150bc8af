import type { FastifyRequest } from 'fastify'
import { authorizeGroup, authorizeProject, keyOf, Moved } from '#platform/access/authorize.ts'
import type { ContainerRow } from '#platform/access/containers.ts'
import type { ContainerKind } from '#platform/access/container-sources.ts'
import type { RouteAccess } from '#platform/access/route-access.ts'
import { movedTo, writeToMoved } from './errors.ts'
import { forbidden, NotFound, unauthorized } from '#platform/refusals.ts'
import { innerOf } from './inner-requests.ts'
import { baseUrl } from './links.ts'
import { isRead } from './methods.ts'
import { findOnPage } from './page-containers.ts'
import { queryOf } from './query.ts'
import { parameterIn } from './recognize.ts'

/**
 * Authorizes the caller for the project or group that the route names in its access.
 * @throws 301 for a former path (405 for a write there), 401, 403 and 404
 */
export async function authorizeContainer(request: FastifyRequest, access: RouteAccess): Promise<void> {
  const { subject } = access
  if (subject.kind === 'anyone') return
  if (subject.kind === 'admin') {
    if (!request.user().admin) throw forbidden()
    return
  }
  const { viewer, server, identity } = request
  const name = parameterIn(request, subject.param)
  const nested = request.requested?.nested
  const options = { preloaded: await preloaded(request, subject.kind, name), nested }
  try {
    if (subject.kind === 'project')
      request.authorizedProject = await authorizeProject(server.db, viewer, name, subject.ability, options)
    else request.authorizedGroup = await authorizeGroup(server.db, viewer, name, subject.ability, options)
  } catch (error) {
    const isStranger = identity === undefined && viewer.deployToken === undefined
    if (access.challenge && isStranger && error instanceof NotFound) throw unauthorized()
    if (!(error instanceof Moved)) throw error
    if (!isRead(request.method)) throw writeToMoved(subject.kind)
    throw movedTo(newContainer(request, subject.param, error.id))
  }
}

/** The row that was looked up with the caller, or for the page that asks; undefined where the request looks it up itself. */
async function preloaded(
  request: FastifyRequest,
  kind: ContainerKind,
  name: string,
): Promise<ContainerRow | null | undefined> {
  const { identity, viewer, server, method, requested } = request
  const page = innerOf(request)?.page
  if (page === undefined || requested?.nested !== undefined || !isRead(method)) return identity?.container
  // An administrator may act as somebody else.
  if (identity?.user.id !== page.identity?.user.id) return identity?.container
  return (await findOnPage(page, server.db, { kind, key: keyOf(name) }, viewer)) ?? null
}

/** The URL of this request with the id instead of the former path. */
function newContainer(request: FastifyRequest, param: string, id: number): string {
  const path = (request.routeOptions.url ?? '')
    .split('/')
    .map((segment) => {
      if (!segment.startsWith(':')) return segment
      const name = segment.slice(1)
      return name === param ? String(id) : encodeURIComponent(parameterIn(request, name))
    })
    .join('/')
  const query = queryOf(request.raw.url ?? '')
  return `${baseUrl(request)}${path}${query === undefined ? '' : `?${query}`}`
}
