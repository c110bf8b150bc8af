import type { FastifyRequest } from 'fastify'
import type { Html } from '#platform/http/html.ts'
import { type Api, path } from '../frame/api.ts'
import { groupHeader, groupOf, groupPageOf } from '../frame/group.ts'
import { pageOf, projectHeader, projectOf } from '../frame/project.ts'

/** A project or group, whose boards pages show. */
export interface BoardPlace {
  readonly kind: 'project' | 'group'
  /** Its path in the API. */
  readonly api: string
  /** The address of its boards. */
  readonly boards: string
  /** What titles of pages end with. */
  readonly name: string
  readonly header: Html
}

/** The project that an address names. @throws 301, 404 */
export async function projectPlace(api: Api, request: FastifyRequest, named: string): Promise<BoardPlace> {
  const project = await projectOf(api, request, named)
  return {
    kind: 'project',
    api: path`/projects/${project.id}`,
    boards: pageOf(project, 'boards'),
    name: project.name_with_namespace,
    header: projectHeader(project, 'Boards'),
  }
}

/** The same for a group. */
export async function groupPlace(api: Api, request: FastifyRequest, named: string): Promise<BoardPlace> {
  const group = await groupOf(api, request, named)
  return {
    kind: 'group',
    api: path`/groups/${group.id}`,
    boards: groupPageOf(group, 'boards'),
    name: group.full_name,
    header: groupHeader(group, 'Boards'),
  }
}
