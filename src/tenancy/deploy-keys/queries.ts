import { type RawBuilder, sql } from 'kysely'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { hasLevel, visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { deployKeyColumns, type DeployKeyRow, type ProjectDeployKeyRow } from './entity.ts'

export const deployKeyOrder: ListOrder = {
  of: 'DeployKey',
  id: 'k.id',
  columns: { id: { column: 'k.id' } },
  by: 'id',
  sort: 'asc',
}

/** The order of the keys of one project, which has an index. */
export const projectKeyOrder: ListOrder = {
  ...deployKeyOrder,
  id: 'd.key_id',
  columns: { id: { column: 'd.key_id' } },
}

/** A project whose deploy keys change. */
export interface ProjectOfKeys {
  readonly id: number
  readonly namespace_id: number
}

const columns = deployKeyColumns.map((name) => `k.${name}` as const)

/** All deploy keys of the instance. */
export const deployKeysIn = (db: Db | Tx['db']) =>
  db.selectFrom('ssh_keys as k').select(columns).where('k.user_id', 'is', null)

/** The deploy keys that are enabled in a project. */
export const projectKeysOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('deploy_key_projects as d')
    .innerJoin('ssh_keys as k', 'k.id', 'd.key_id')
    .select(columns)
    .select(['d.can_push', 'd.updated_at'])
    .where('d.project_id', '=', projectId)

/** Finds a deploy key that is enabled in a project. @throws 404 */
export async function findProjectKey(
  db: Db | Tx['db'],
  projectId: number,
  id: number,
): Promise<ProjectDeployKeyRow> {
  return projectKeysOf(db, projectId)
    .where('d.key_id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Deploy Key'))
}

/**
 * The same for a change, locked until the transaction ends, so that the key stays enabled there.
 * @param strength the weakest lock on the key that the change needs: removals may delete it.
 */
export async function lockProjectKey(
  tx: Tx,
  project: ProjectOfKeys,
  id: number,
  strength: 'update' | 'remove',
): Promise<ProjectDeployKeyRow> {
  await lockParent(tx, project.namespace_id)
  const key = tx.db.selectFrom('ssh_keys').select('id').where('id', '=', id).where('user_id', 'is', null)
  await (strength === 'remove' ? key.forUpdate() : key.forNoKeyUpdate()).execute()
  return findProjectKey(tx.db, project.id, id)
}

/**
 * Whether the deploy key `k` is enabled in a project for which the condition on its namespace `n` holds. Arrays lead from these projects
 * to their keys, however many keys other projects have. Each project is looked up: PostgreSQL would read all of them beside such a condition.
 */
const enabledWhere = (condition: RawBuilder<boolean>): RawBuilder<boolean> => sql<boolean>`k.id = any(array(
  select d.key_id from deploy_key_projects d where d.project_id = any(array(
    select p.id from (select n.id from namespaces n where n.kind = 'project' and ${condition} offset 0) c
      cross join lateral (select p.id from projects p where p.project_namespace_id = c.id offset 0) p))))`

const maintains = (viewer: Viewer): RawBuilder<boolean> =>
  viewer.admin
    ? visibleTo('n', viewer)
    : sql<boolean>`(${visibleTo('n', viewer)} and ${hasLevel('n', viewer, levels.maintainer)})`

/** Deploy keys that a maintainer may enable in further projects: public ones, and those of their other projects. */
export function availableKeys(db: Tx['db'], viewer: Viewer) {
  const all = deployKeysIn(db)
  return viewer.admin ? all : all.where(sql<boolean>`(k.public or ${enabledWhere(maintains(viewer))})`)
}

/** A condition on namespaces `n`: both maintain the project. */
const commonTo = (viewer: Viewer, userId: number): RawBuilder<boolean> => {
  const user: Viewer = { id: userId, admin: false, external: false, today: viewer.today, closed: [] }
  return sql<boolean>`(${maintains(viewer)} and ${hasLevel('n', user, levels.maintainer)})`
}

/** The deploy keys of the projects that the viewer and another user both maintain. */
export const commonKeys = (db: Db, viewer: Viewer, userId: number) =>
  deployKeysIn(db).where(enabledWhere(commonTo(viewer, userId)))

/** Whether there is a project that both maintain. */
export async function haveCommonProject(db: Db, viewer: Viewer, userId: number): Promise<boolean> {
  const found = await db
    .selectFrom('namespaces as n')
    .select('n.id')
    .where('n.kind', '=', 'project')
    .where(commonTo(viewer, userId))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Finds the key with a fingerprint, whoever has it, and keeps it from being removed until the transaction ends. */
export async function lockByFingerprint(
  tx: Tx,
  fingerprint: string,
): Promise<(DeployKeyRow & { readonly user_id: number | null }) | undefined> {
  return tx.db
    .selectFrom('ssh_keys as k')
    .select(columns)
    .select('k.user_id')
    .where('k.fingerprint_sha256', '=', fingerprint)
    .forKeyShare()
    .executeTakeFirst()
}
