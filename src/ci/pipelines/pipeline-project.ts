import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Json, Visibility } from '#platform/db/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { forMaintainers } from '#tenancy/projects/project-settings.ts'

/** What pipelines need of their project. */
export interface PipelineProject {
  readonly id: number
  readonly namespace_id: number
  readonly traversal_ids: readonly number[]
  readonly path: string
  readonly full_path: string
  readonly name: string
  readonly description: string | null
  readonly visibility: Visibility
  readonly archived: boolean
  readonly parent_id: number
  readonly parent_path: string
  readonly configPath: string | null
  /** Seconds. */
  readonly timeout: number
  readonly cancelsOlder: boolean
  readonly gitDepth: number | null
  readonly fetches: boolean
  /** Whether it has pipelines at all now. */
  readonly runsJobs: boolean
  /** Whether jobs of protected branches and tags have caches of their own. */
  readonly separatesCaches: boolean
}

interface Row extends Omit<
  PipelineProject,
  'configPath' | 'timeout' | 'cancelsOlder' | 'gitDepth' | 'fetches' | 'separatesCaches' | 'runsJobs'
> {
  readonly ci_config_path: string | null
  readonly build_timeout: number | null
  readonly auto_cancel: string | null
  readonly git_depth: Json
  readonly git_strategy: string | null
  readonly separated_caches: boolean | null
  readonly builds: string | null
}

/** Reads the project of a pipeline. @throws 404 when it is gone */
export async function readPipelineProject(db: Db, id: number): Promise<PipelineProject> {
  const { rows } = await sql<Row>`
    select p.id, n.id as namespace_id, n.traversal_ids, n.path, n.full_path, n.name, n.description, n.visibility,
        exists (select from namespaces a where a.id = any(n.traversal_ids) and a.archived) as archived,
        up.id as parent_id, up.full_path as parent_path,
        p.settings ->> 'ci_config_path' as ci_config_path, (p.settings ->> 'build_timeout')::integer as build_timeout,
        p.settings ->> 'auto_cancel_pending_pipelines' as auto_cancel, p.settings -> 'ci_default_git_depth' as git_depth,
        p.settings ->> 'build_git_strategy' as git_strategy, (p.settings ->> 'ci_separated_caches')::boolean as separated_caches,
        p.settings ->> 'builds_access_level' as builds
      from projects p join namespaces n on n.id = p.project_namespace_id join namespaces up on up.id = n.parent_id
      where p.id = ${id} and n.deleted_at is null`.execute(db)
  const [row] = rows
  if (row === undefined) throw notFound('Project')
  const {
    ci_config_path,
    build_timeout,
    auto_cancel,
    git_depth,
    git_strategy,
    separated_caches,
    builds,
    ...rest
  } = row
  return {
    ...rest,
    configPath: ci_config_path === '' ? null : ci_config_path,
    timeout: build_timeout ?? forMaintainers.build_timeout.default,
    cancelsOlder: (auto_cancel ?? forMaintainers.auto_cancel_pending_pipelines.default) === 'enabled',
    gitDepth: typeof git_depth === 'number' ? git_depth : forMaintainers.ci_default_git_depth.default,
    fetches: (git_strategy ?? forMaintainers.build_git_strategy.default) === 'fetch',
    runsJobs: builds !== 'disabled' && !row.archived,
    separatesCaches: separated_caches ?? true,
  }
}
