import type { FastifyRequest } from 'fastify'
import { type TObject, Type } from 'typebox'
import type { Html } from '#platform/http/html.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { CONSOLE } from './addresses.ts'
import type { TextPlace } from '#planning/markup/render-texts.ts'
import { type Api, path } from './api.ts'
import { groupHeader, groupOf, type GroupPart, groupPageOf } from './group.ts'
import { pageOf, type Part, projectHeader, projectOf } from './project.ts'

/** A project or a group, for pages that both have. */
export interface Container {
  readonly kind: 'project' | 'group'
  /** Its path in the API: `/projects/1`. */
  readonly api: string
  /** What its texts are rendered with. */
  readonly texts: TextPlace
  /** How titles of its pages end. */
  readonly title: string
  /** The address of a page of it. */
  readonly page: (page: string) => string
  readonly header: (here: Part & GroupPart) => Html
  /** The header of its first page, and of what belongs to that. */
  readonly firstHeader: () => Html
  /** Which of the references of an item its lists show: `#1` in a project, `group/project#1` in a group. */
  readonly reference: 'short' | 'full'
}

/** The parameter that names either. */
export const OfContainer = { container: text({ max: MAX_PATH }) }
export const ByContainer: TObject<typeof OfContainer> = Type.Object(OfContainer)

interface Kind {
  /** Where the routes of its pages begin. */
  readonly at: string
  /** What a path names. @throws 301 to its path as it is now, 404 */
  readonly open: (api: Api, request: FastifyRequest, named: string) => Promise<Container>
}

/** Both kinds, for routes that are made once for each. */
export const projectsAndGroups: readonly Kind[] = [
  {
    at: `${CONSOLE}/project/:container`,
    async open(api, request, named) {
      const project = await projectOf(api, request, named)
      return {
        kind: 'project',
        api: path`/projects/${project.id}`,
        texts: { path: project.path_with_namespace },
        title: project.name_with_namespace,
        page: (page) => pageOf(project, page),
        header: (here) => projectHeader(project, here),
        firstHeader: () => projectHeader(project, 'Project'),
        reference: 'short',
      }
    },
  },
  {
    at: `${CONSOLE}/group/:container`,
    async open(api, request, named) {
      const group = await groupOf(api, request, named)
      return {
        kind: 'group',
        api: path`/groups/${group.id}`,
        texts: { path: group.full_path, kind: 'group' },
        title: group.full_name,
        page: (page) => groupPageOf(group, page),
        header: (here) => groupHeader(group, here),
        firstHeader: () => groupHeader(group, 'Group'),
        reference: 'full',
      }
    },
  },
]
