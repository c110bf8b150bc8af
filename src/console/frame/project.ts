import type { FastifyRequest } from 'fastify'
import { movedTo } from '#platform/http/errors.ts'
import { type Html, html } from '#platform/http/html.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { type EitherProject, eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { type Api, path } from './api.ts'

/** The parameter of a project's path. */
export const OfProject = { project: text({ max: MAX_PATH }) }

/** The parts of a project that its header leads to, and how their addresses end. */
const parts = {
  Project: undefined,
  Files: 'tree',
  Commits: 'commits',
  Branches: 'branches',
  Tags: 'tags',
  Issues: 'issues',
  'Merge requests': 'merge_requests',
  Milestones: 'milestones',
  Labels: 'labels',
  Pipelines: 'pipelines',
  Releases: 'releases',
  Packages: 'packages',
  Search: 'search',
} as const
export type Part = keyof typeof parts

/**
 * The project that the address of a page names.
 * @throws 301 to the address with the path as it is now, 404
 */
export async function projectOf(api: Api, request: FastifyRequest, named: string): Promise<EitherProject> {
  const project = await findProject(api, request, named)
  if (project === undefined) throw notFound()
  return project
}

/** The same; undefined where there is none. */
export async function findProject(
  api: Api,
  request: FastifyRequest,
  named: string,
): Promise<EitherProject | undefined> {
  const project = await api.find(eitherProjectEntity(), path`/projects/${named}`)
  if (project !== undefined && project.path_with_namespace !== named)
    throw movedTo(pathOf(project) + behindPath(request.originalUrl))
  return project
}

/** What follows the path of a project in an address: which page, and its query. */
const behindPath = (url: string): string => /^[^?]*?((?:\/-(?:\/[^?]*)?)?(?:\?.*)?)$/s.exec(url)?.[1] ?? ''

/** The address of a project's first page on this server, without its host. */
export const pathOf = ({ path_with_namespace }: Pick<EitherProject, 'path_with_namespace'>): string =>
  `/${path_with_namespace}`

/** The address of a page of a project: `page(project, 'issues/1')`. */
export const pageOf = (project: Pick<EitherProject, 'path_with_namespace'>, page: string): string =>
  `${pathOf(project)}/-/${page}`

/** A path of files or a branch in an address, whose slashes stay as they are. */
export const slashed = (text: string): string => text.split('/').map(encodeURIComponent).join('/')

/** The header of the pages of a project: where one is, and what else is there. */
export function projectHeader(project: EitherProject, here: Part): Html {
  return html`<div class="place">
    <nav class="where" aria-label="Where you are">
      ${namespaceLinks(project.namespace.full_path)}
      <a href="${pathOf(project)}"><strong>${project.name}</strong></a>
      <span class="badge">${project.visibility}</span>
      ${project.archived === true && html`<span class="badge">archived</span>`}
    </nav>
    <nav class="tabs" aria-label="${project.name}">
      ${offered(project).map(
        ({ part, address }) =>
          html`<a href="${address}" ${part === here && html`aria-current="page"`}>${part}</a>`,
      )}
    </nav>
  </div>`
}

/** The parts that a project has, as far as the visitor may know. */
function offered(project: EitherProject): readonly { readonly part: string; readonly address: string }[] {
  const { default_branch: branch } = project
  const closed: ReadonlySet<string> = new Set([
    ...(project.issues_enabled === false ? ['Issues', 'Milestones'] : []),
    ...(project.merge_requests_enabled === false ? ['Merge requests'] : []),
    ...(project.jobs_enabled === false ? ['Pipelines'] : []),
    ...(project.packages_enabled === false ? ['Packages'] : []),
    ...(branch === null ? ['Files', 'Commits', 'Branches', 'Tags'] : []),
  ])
  return Object.entries(parts).flatMap(([part, word]) => {
    if (closed.has(part)) return []
    if (word === undefined) return [{ part, address: pathOf(project) }]
    const ofBranch = word === 'tree' || word === 'commits'
    return [{ part, address: pageOf(project, ofBranch ? `${word}/${slashed(branch ?? '')}` : word) }]
  })
}

/** Links to the groups around something: `a / b /`. */
function namespaceLinks(fullPath: string): readonly Html[] {
  const names = fullPath.split('/')
  return names.map(
    (name, index) => html`<a href="/${names.slice(0, index + 1).join('/')}">${name}</a> <span>/</span> `,
  )
}
