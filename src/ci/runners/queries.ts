import { type RawBuilder, sql } from 'kysely'
import { creatorOfRunner, isRunning, type RunnerManagerRow } from '#code/jobs/runner.ts'
import type { ProjectIdentityRow } from '#identity/namespaces/project-identity.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { hasLevel, visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ManagerProgram, RunnerDetailsRow, RunnerPlaces } from './entity.ts'

/** Runners, with the columns that lists show. */
export const runners = (db: Db | Tx['db']) =>
  db
    .selectFrom('ci_runners as r')
    .select(['r.id', 'r.runner_type', 'r.description', 'r.paused', 'r.contacted_at', 'r.created_at'])
    .select([creatorOfRunner.as('creator'), isRunning.as('is_running')])

/** A runner, and what the viewer may do with it. */
export interface FoundRunner extends RunnerDetailsRow {
  /** Of the group, or of the project that owns it; null for the instance. */
  readonly owner_namespace_id: number | null
  readonly updated_at: string
  /** Whether it came by itself, with a registration token. */
  readonly by_registration: boolean
  readonly isMaintained: boolean
  readonly isOwned: boolean
  readonly isShared: boolean
}

/** Whether the viewer has a role in the group of the runner `r`. */
const inGroup = (viewer: Viewer, level: number): RawBuilder<boolean> => sql<boolean>`exists (
  select from namespaces n where n.id = r.group_namespace_id and ${holds(viewer, level)})`

/** Whether the viewer maintains a project of the runner `r`. */
const inProject = (viewer: Viewer, which: 'any' | 'owner'): RawBuilder<boolean> => sql<boolean>`exists (
  select from ci_runner_projects o join projects p on p.id = o.project_id join namespaces n on n.id = p.project_namespace_id
  where o.runner_id = r.id and ${holds(viewer, levels.maintainer)} ${which === 'owner' ? sql`and o.is_owner` : sql``})`

const holds = (viewer: Viewer, level: number) =>
  sql`${visibleTo('n', viewer)} and ${hasLevel('n', viewer, level)}`

const lastManager = sql<ManagerProgram | null>`(
  select json_build_object('version', m.version, 'revision', m.revision, 'platform', m.platform, 'architecture', m.architecture)
  from ci_runner_managers m where m.runner_id = r.id order by m.contacted_at desc nulls last, m.id desc limit 1)`

/** Finds a runner, whether or not the viewer may see it. @throws 404 `Runner Not Found` */
export async function findRunner(db: Db | Tx['db'], viewer: Viewer, id: number): Promise<FoundRunner> {
  return runners(db)
    .select([
      'r.tags',
      'r.run_untagged',
      'r.locked',
      'r.maximum_timeout',
      'r.access_level',
      'r.maintenance_note',
      'r.updated_at',
      'r.by_registration',
      lastManager.as('manager'),
      sql<
        number | null
      >`coalesce(r.group_namespace_id, (select p.project_namespace_id from ci_runner_projects o
        join projects p on p.id = o.project_id where o.runner_id = r.id and o.is_owner))`.as(
        'owner_namespace_id',
      ),
      sql<boolean>`(${inGroup(viewer, levels.maintainer)} or ${inProject(viewer, 'any')})`.as('isMaintained'),
      sql<boolean>`(${inGroup(viewer, levels.owner)} or ${inProject(viewer, 'owner')})`.as('isOwned'),
      sql<boolean>`((select count(*) from ci_runner_projects o where o.runner_id = r.id) > 1)`.as('isShared'),
    ])
    .where('r.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Runner'))
}

/** The same for a change, locked until the transaction ends. */
export async function lockRunner(
  tx: Tx,
  viewer: Viewer,
  id: number,
  strength: 'update' | 'remove' = 'update',
): Promise<FoundRunner> {
  const row = tx.db.selectFrom('ci_runners').select('id').where('id', '=', id)
  await (strength === 'remove' ? row.forUpdate() : row.forNoKeyUpdate()).execute()
  return findRunner(tx.db, viewer, id)
}

/** A runner may serve very many projects, so an answer names some of them only. */
const MOST_PROJECTS = 100

/** The projects and the group that a runner is made for, as far as the viewer may see them. */
export async function placesOf(db: Db, viewer: Viewer, id: number): Promise<RunnerPlaces> {
  const projects = await sql<ProjectIdentityRow>`
    select p.id, n.description, n.name, n.full_name, n.path, n.full_path, n.created_at
    from ci_runner_projects o join projects p on p.id = o.project_id join namespaces n on n.id = p.project_namespace_id
    where o.runner_id = ${id} and ${visibleTo('n', viewer)}
    order by o.is_owner desc, o.project_id limit ${sql.lit(MOST_PROJECTS)}`.execute(db)
  const groups = await db
    .selectFrom('ci_runners as r')
    .innerJoin('namespaces as n', 'n.id', 'r.group_namespace_id')
    .select(['n.id', 'n.full_path', 'n.name'])
    .where('r.id', '=', id)
    .where(visibleTo('n', viewer))
    .execute()
  return { projects: projects.rows, groups }
}

export const managersOf = (db: Db | Tx['db'], runnerId: number) =>
  db
    .selectFrom('ci_runner_managers as m')
    .select([
      'm.id',
      'm.system_id',
      'm.version',
      'm.revision',
      'm.platform',
      'm.architecture',
      'm.contacted_at',
      'm.created_at',
    ] satisfies `m.${keyof RunnerManagerRow}`[])
    .where('m.runner_id', '=', runnerId)
