import type { FastifyRequest } from 'fastify'
import type { ProjectAbility } from '#platform/access/abilities.ts'
import { movedTo } from '#platform/http/errors.ts'
import { type Html, html } from '#platform/http/html.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { type EitherProject, eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { type Api, path } from './api.ts'
import { type Area, behindPath, namespaceLinks, placeHeader } from './place.ts'

/** The parameter of a project's path. */
export const OfProject = { project: text({ max: MAX_PATH }) }

/** How the address of a page of a project ends, and the ability without which the page is refused. */
type PartOfProject = readonly [word?: string, needs?: ProjectAbility]

/** What projects have pages of, by area. */
const areas = {
  Overview: { Project: [], Activity: ['activity'], Members: ['project_members', 'read_member'] },
  Plan: {
    Issues: ['issues', 'read_issue'],
    Boards: ['boards', 'read_board'],
    Milestones: ['milestones', 'read_milestone'],
    Labels: ['labels', 'read_label'],
    Wiki: ['wikis', 'read_wiki'],
  },
  Code: {
    Files: ['tree', 'download_code'],
    Commits: ['commits', 'download_code'],
    Branches: ['branches', 'download_code'],
    Tags: ['tags', 'download_code'],
    Contributors: ['graphs', 'download_code'],
    Forks: ['forks'],
    Snippets: ['snippets', 'read_snippet'],
  },
  'Merge requests': { 'Merge requests': ['merge_requests', 'read_merge_request'] },
  Build: {
    Pipelines: ['pipelines', 'read_pipeline'],
    Jobs: ['jobs', 'read_pipeline'],
    Schedules: ['pipeline_schedules', 'read_pipeline_schedule'],
  },
  Deploy: {
    Releases: ['releases', 'read_release'],
    Environments: ['environments', 'read_environment'],
    Packages: ['packages', 'read_package'],
    Images: ['container_registry', 'read_container_image'],
  },
  Monitor: {
    Alerts: ['alert_management', 'read_alert'],
    Incidents: ['incidents', 'read_issue'],
    Errors: ['error_tracking', 'read_error'],
  },
  Search: { Search: ['search'] },
  Settings: {
    General: ['settings/general'],
    Repository: ['settings/repository'],
    Approvals: ['settings/merge_requests'],
    'CI/CD': ['settings/ci_cd'],
    'Access tokens': ['settings/access_tokens'],
    Webhooks: ['hooks'],
    Badges: ['settings/badges'],
    Monitoring: ['settings/operations'],
    'Packages and images': ['settings/packages_and_registries'],
    Storage: ['settings/storage', 'read_project_storage'],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, PartOfProject>>>>
type PartsOf<Area> = Area extends unknown ? keyof Area : never
export type Part = PartsOf<(typeof areas)[keyof typeof areas]>

/** Parts whose addresses name a branch. */
const ofBranch: ReadonlySet<string> = new Set(['tree', 'commits', 'graphs'])

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
  const project = await api.find(eitherProjectEntity(), path`/projects/${named}`, { with_abilities: true })
  // A form that is sent to the former path would lose what was typed.
  if (project !== undefined && project.path_with_namespace !== named && request.method !== 'POST')
    throw movedTo(pathOf(project) + behindPath(request.originalUrl))
  if (project?.abilities !== undefined) api.keepAbilities(path`/projects/${project.id}`, project.abilities)
  return project
}

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
  const where = html`${namespaceLinks(project.namespace.full_path)}
    <a href="${pathOf(project)}"><strong>${project.name}</strong></a>
    <span class="badge">${project.visibility}</span>
    ${project.archived === true && html`<span class="badge">archived</span>`}`
  return placeHeader(project.name, where, areasOf(project), here)
}

/** The areas of a project with the parts that the visitor may see. */
function areasOf(project: EitherProject): readonly Area[] {
  const { default_branch: branch } = project
  const abilities = new Set(project.abilities)
  // Only those who may change a project are told how its pipelines run.
  const mayChange = project.build_timeout !== undefined
  const closed: ReadonlySet<string> = new Set([
    ...(mayChange ? [] : Object.keys(areas.Settings)),
    // Nobody has contributed yet.
    ...(project.empty_repo === true ? ['Contributors'] : []),
  ])
  const addressOf = (word: string | undefined) => {
    if (word === undefined) return pathOf(project)
    return pageOf(project, ofBranch.has(word) ? `${word}/${slashed(branch ?? '')}` : word)
  }
  return Object.entries(areas).map(([title, parts]) => ({
    title,
    parts: Object.entries<PartOfProject>(parts)
      .filter(([part, [, needs]]) => !closed.has(part) && (needs === undefined || abilities.has(needs)))
      .map(([part, [word]]) => ({ title: part, address: addressOf(word) })),
  }))
}
