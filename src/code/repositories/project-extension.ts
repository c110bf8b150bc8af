import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { projectFeatureLevels } from '#platform/access/project-features.ts'
import { levels } from '#platform/access/roles.ts'
import { flat } from '#platform/http/flat.ts'
import { flag, nullable, text } from '#platform/http/schema.ts'
import { badRequest } from '#platform/refusals.ts'
import { nothingStored } from '#identity/namespaces/storage-sizes.ts'
import type { Audience, PresentOptions } from '#tenancy/projects/audience.ts'
import type {
  ExtensionParameters,
  PresentedProject,
  ProjectExtension,
  ValuesOf,
} from '#tenancy/projects/extension-points.ts'
import { isShortName } from '#code/git/names.ts'
import { isMisleading } from '#platform/misleading.ts'
import { repositoryAbilities } from './abilities.ts'
import { chosenStorage } from './chosen-storage.ts'
import { adoptRepository, prepareRepository } from './initialize.ts'
import { insertRepository } from './make-repository.ts'

const creation = {
  initialize_with_readme: flag({ description: 'Make a first commit with a `README.md`.' }),
  repository_storage: nullable(text({ description: 'The name of a storage, for administrators.' })),
}

/** Under these names the check of a request leaves what the transaction needs. No client can send them. */
const prepared: unique symbol = Symbol('prepared repository')
const chosen: unique symbol = Symbol('chosen storage')

/** What presenting a project needs of its repository. */
export interface RepositoryColumn {
  readonly storage: string
  readonly default_branch: string | null
  readonly branch_count: number
  readonly commit_count: number
  readonly size: number
  readonly readme_path: string | null
}

declare module '#tenancy/projects/extension-points.ts' {
  interface ExtensionParameters extends Partial<ValuesOf<typeof creation>> {
    readonly [prepared]?: number
    readonly [chosen]?: string
  }
  interface ExtensionColumns {
    readonly repository: RepositoryColumn | null
    /** Bytes of the repository of the wiki. */
    readonly wiki_size: number
    /** Bytes of its LFS objects. */
    readonly lfs_size: number
    /** Bytes of the artifacts of its jobs. */
    readonly artifacts_size: number
    /** Bytes of its images of containers. */
    readonly images_size: number
    /** Bytes of the packages that it publishes. */
    readonly packages_size: number
    /** Bytes of its uploads. */
    readonly uploads_size: number
  }
}

/** What repositories add to projects. */
export const repositoriesOfProjects: ProjectExtension = {
  parameters: { creation },
  async check(asked, req) {
    const storage = chosenStorage(asked, req)
    const { path, name, description, default_branch, repository_object_format } = textsIn(req.body)
    if (repository_object_format === 'sha256') {
      throw badRequest('repository_object_format: repositories have SHA-1 ids alone')
    }
    if (storage !== undefined) Object.assign(asked, { [chosen]: storage })
    if (asked.initialize_with_readme !== true) return
    const title = name ?? path ?? 'Project'
    const branch = default_branch ?? req.server.services.repositories.defaultBranch
    const readme = { title, description, branch, storage }
    Object.assign(asked, { [prepared]: await prepareReadme(req, readme) })
  },
  async afterCreation(tx, project, { [prepared]: id, [chosen]: storage }: ExtensionParameters) {
    if (id !== undefined) await adoptRepository(tx, id, project)
    else if (storage !== undefined)
      await insertRepository(tx, { kind: 'project', project: project.id }, storage)
  },
  columns: () => [
    sql<RepositoryColumn | null>`(
      select json_build_object('storage', r.storage, 'default_branch', r.default_branch,
        'branch_count', r.branch_count, 'commit_count', r.commit_count, 'size', r.size, 'readme_path', r.readme_path)
      from repositories r where r.project_id = p.id and r.kind = 'project')`.as('repository'),
    sql<number>`coalesce((
      select wr.size from repositories wr where wr.project_id = p.id and wr.kind = 'wiki'), 0)::bigint`.as(
      'wiki_size',
    ),
    sql<number>`coalesce((select ls.size from lfs_sizes ls where ls.project_id = p.id), 0)::bigint`.as(
      'lfs_size',
    ),
    sql<number>`coalesce((select cs.size from ci_artifact_sizes cs where cs.project_id = p.id), 0)::bigint`.as(
      'artifacts_size',
    ),
    sql<number>`coalesce((select ps.size from package_sizes ps where ps.project_id = p.id), 0)::bigint`.as(
      'packages_size',
    ),
    sql<number>`coalesce((select cs.size from container_sizes cs where cs.project_id = p.id), 0)::bigint`.as(
      'images_size',
    ),
    sql<number>`coalesce((
      select us.size from upload_sizes us where us.namespace_id = p.project_namespace_id), 0)::bigint`.as(
      'uploads_size',
    ),
  ],
  present: ({ repository }, { viewer }) => ({
    empty_repo: repository === null || repository.branch_count === 0,
    ...(viewer.admin && repository !== null && { repository_storage: repository.storage }),
  }),
  presentSimple: (project, audience, wanted) => ({
    ...branchOf(project, audience),
    ...statisticsOf(project, audience, wanted),
  }),
}

/**
 * An empty repository shows the branch that the first push will make, if it can. Those who may not read the code learn neither its
 * branch nor its README.
 */
function branchOf(project: PresentedProject, { site, defaultBranch, viewer }: Audience) {
  if (!readsCode(project, viewer)) return { default_branch: null, readme_url: null }
  const { repository, settings, full_path } = project
  const default_branch = repository?.default_branch ?? settings.default_branch ?? defaultBranch
  const readme = repository?.readme_path ?? null
  const readme_url =
    readme === null ? null : flat`${site}/${full_path}/-/blob/${default_branch}/${encodeURIComponent(readme)}`
  return { default_branch, readme_url }
}

/** `download_code`, by what the query of the project knows. The viewer may see the project. */
const readsCode = (
  { direct_level, inherited_level, visibility, settings, archived_here }: PresentedProject,
  { id, admin, external }: Audience['viewer'],
): boolean =>
  repositoryAbilities.project.download_code({
    level: Math.max(direct_level, inherited_level),
    visibility,
    signedIn: id !== null,
    external,
    admin,
    archived: archived_here,
    readsBelow: false,
    closed: false,
    features: projectFeatureLevels(settings),
  })

function statisticsOf(
  {
    repository,
    wiki_size,
    lfs_size,
    artifacts_size,
    images_size,
    packages_size,
    uploads_size,
    direct_level,
    inherited_level,
  }: PresentedProject,
  { viewer }: Audience,
  { statistics }: PresentOptions,
) {
  const isMember = viewer.admin || Math.max(direct_level, inherited_level) >= levels.reporter
  if (!statistics || !isMember) return {}
  const { commit_count, size } = repository ?? { commit_count: 0, size: 0 }
  return {
    statistics: {
      ...nothingStored,
      commit_count,
      storage_size: size + wiki_size + lfs_size + artifacts_size + packages_size + uploads_size,
      repository_size: size,
      wiki_size,
      lfs_objects_size: lfs_size,
      job_artifacts_size: artifacts_size,
      packages_size,
      uploads_size,
      container_registry_size: images_size,
    },
  }
}

interface Readme {
  readonly title: string
  readonly description: string | undefined
  readonly branch: string
  /** Undefined where the weights choose. */
  readonly storage: string | undefined
}

async function prepareReadme(
  req: FastifyRequest,
  { title, description, branch, storage }: Readme,
): Promise<number> {
  if (!isShortName(branch) || isMisleading(branch))
    throw badRequest('default_branch is not a name that git allows')
  const user = req.user()
  const { email } = await req.server.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', user.id)
    .executeTakeFirstOrThrow()
  const text = description === undefined || description === '' ? '' : `\n${description}\n`
  return prepareRepository(req.server.services.repositories, {
    kind: 'project',
    ...(storage !== undefined && { storage }),
    files: { 'README.md': `# ${title}\n${text}` },
    message: 'Initial commit',
    branch,
    author: { name: user.name, email },
    by: { author: user, impersonatorId: req.identity?.impersonatorId ?? null, ip: req.ip, requestId: req.id },
  })
}

/** The texts among the parameters of a request. */
function textsIn(body: unknown): Readonly<Record<string, string | undefined>> {
  if (typeof body !== 'object' || body === null) return {}
  const texts = Object.entries(body).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return Object.fromEntries(texts)
}
