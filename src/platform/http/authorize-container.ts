import type { FastifyRequest } from 'fastify'
import { authorizeGroup, authorizeProject, Moved } from '#platform/access/authorize.ts'
import type { RouteAccess } from '#platform/access/route-access.ts'
import { movedTo, writeToMoved } from './errors.ts'
import { forbidden, NotFound, unauthorized } from '#platform/refusals.ts'
import { baseUrl } from './links.ts'
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
  const options = { preloaded: identity?.container, nested: request.requested?.nested }
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

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

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
