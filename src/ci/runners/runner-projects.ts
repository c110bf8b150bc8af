import { lockParent } from '#identity/namespaces/lock.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden, notFound, refusal, taken } from '#platform/refusals.ts'
import { aboutRunner } from './about-runner.ts'
import { assertRoomInProject } from './create-runner.ts'
import { assertMayEnable } from './policy.ts'
import { type FoundRunner, lockRunner } from './queries.ts'

interface ProjectOfRunners {
  readonly id: number
  readonly namespace_id: number
}

/**
 * Lets a project runner serve one more project.
 * @throws 400 when it does, or the project has too many; 403 for runners that the caller may not lend; 404
 */
export async function enableRunner(
  tx: Tx,
  project: ProjectOfRunners,
  viewer: Viewer,
  id: number,
): Promise<FoundRunner> {
  const { organization_id } = await lockParent(tx, project.namespace_id)
  const runner = await lockRunner(tx, viewer, id)
  assertMayEnable(runner, viewer)
  const there = await tx.db
    .selectFrom('ci_runner_projects as o')
    .innerJoin('projects as p', 'p.id', 'o.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['o.project_id', 'o.is_owner', 'n.organization_id'])
    .where('o.runner_id', '=', id)
    .where((where) => where.or([where('o.is_owner', '=', true), where('o.project_id', '=', project.id)]))
    .execute()
  if (there.some(({ project_id }) => project_id === project.id)) throw taken('runner_id')
  if (there.some((owner) => owner.organization_id !== organization_id))
    throw refusal('A runner serves projects of one organization only')
  await assertRoomInProject(tx, project.id)
  await tx.db
    .insertInto('ci_runner_projects')
    .values({ runner_id: id, project_id: project.id, is_owner: there.length === 0, created_at: tx.now })
    .execute()
  record(tx, { name: 'runner enabled', ...aboutRunner(runner, project.namespace_id) })
  return runner
}

/**
 * Takes a project runner from a project that does not own it.
 * @param check is given when the runner was enabled there
 * @throws 403 for the project that owns it, and while it is locked; 404 for a runner that does not serve the project by itself
 */
export async function disableRunner(
  tx: Tx,
  project: ProjectOfRunners,
  viewer: Viewer,
  id: number,
  check: (enabledAt: string) => void,
): Promise<void> {
  await lockParent(tx, project.namespace_id)
  const runner = await lockRunner(tx, viewer, id)
  const enabled = await tx.db
    .selectFrom('ci_runner_projects')
    .select(['is_owner', 'created_at'])
    .where('runner_id', '=', id)
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow(() => notFound('Runner'))
  if (!runner.isShared)
    throw forbidden('Only one project associated with the runner. Please remove the runner instead')
  if (enabled.is_owner) throw forbidden('The project owns the runner. Please remove the runner instead')
  if (runner.locked && !viewer.admin) throw forbidden('Runner is locked')
  check(enabled.created_at)
  await tx.db
    .deleteFrom('ci_runner_projects')
    .where('runner_id', '=', id)
    .where('project_id', '=', project.id)
    .execute()
  record(tx, { name: 'runner disabled', ...aboutRunner(runner, project.namespace_id) })
}
