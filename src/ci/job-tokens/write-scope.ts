import { lockNode } from '#identity/namespaces/lock.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { badRequest, notFound } from '#platform/refusals.ts'
import { lockProject } from '#tenancy/projects/lock-project.ts'
import { completed, storable } from '#tenancy/projects/project-settings.ts'

/** Projects and groups in one allow-list. */
const MOST = 200

interface Place {
  readonly id: number
  readonly namespace_id: number
}

/** A project or group that is let in, by its own id and that of its node. */
export interface Target extends Place {
  readonly kind: 'Project' | 'Group'
  readonly full_path: string
}

/** Says whether a project lets in only the jobs of its allow-list. */
export async function changeScope(tx: Tx, { namespace_id }: Place, enabled: boolean): Promise<void> {
  const { id, settings } = await lockProject(tx, namespace_id)
  if (completed(settings).ci_inbound_job_token_scope_enabled === enabled) return
  await tx.db
    .updateTable('projects')
    .set({ settings: storable({ ...settings, ci_inbound_job_token_scope_enabled: enabled }) })
    .where('id', '=', id)
    .execute()
  record(tx, {
    name: 'job token scope changed',
    namespace: namespace_id,
    target: { type: 'Project', id },
    details: { enabled },
  })
}

/** Lets the jobs of a project or group in. @throws 400 for what is let in already, and past the maximum */
export async function extendScope(tx: Tx, project: Place, target: Target): Promise<void> {
  const what = target.kind.toLowerCase()
  if (target.namespace_id === project.namespace_id) throw badRequest('a project lets its own jobs in anyway')
  // Exclusive, so that nobody else counts meanwhile.
  await lockNode(tx, project.namespace_id)
  const { count } = await tx.db
    .selectFrom('ci_job_token_scope_links')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow()
  if (count >= MOST) throw badRequest(`an allow-list has at most ${MOST} projects and groups`)
  const made = await tx.db
    .insertInto('ci_job_token_scope_links')
    .values({
      project_id: project.id,
      namespace_id: target.namespace_id,
      added_by_id: tx.author?.id ?? null,
      created_at: tx.now,
    })
    .onConflict((oc) => oc.columns(['project_id', 'namespace_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made === undefined) throw badRequest(`This ${what} is already in the job token allowlist.`)
  record(tx, {
    name: 'job token scope extended',
    namespace: project.namespace_id,
    target: { type: 'Project', id: project.id },
    details: { kind: target.kind, id: target.id, path: target.full_path },
  })
}

/** Lets the jobs of a project or group in no more. @param id its own @throws 404 for what is not in the list */
export async function reduceScope(
  tx: Tx,
  project: Place,
  { kind, id }: Pick<Target, 'kind' | 'id'>,
): Promise<void> {
  const nodes =
    kind === 'Group'
      ? tx.db.selectFrom('namespaces as n').where('n.id', '=', id).where('n.kind', '=', 'group')
      : tx.db
          .selectFrom('projects as p')
          .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
          .where('p.id', '=', id)
  const node = await nodes.select(['n.id', 'n.full_path']).executeTakeFirstOrThrow(() => notFound(kind))
  const { numDeletedRows } = await tx.db
    .deleteFrom('ci_job_token_scope_links')
    .where('project_id', '=', project.id)
    .where('namespace_id', '=', node.id)
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw notFound(kind)
  record(tx, {
    name: 'job token scope reduced',
    namespace: project.namespace_id,
    target: { type: 'Project', id: project.id },
    details: { kind, id, path: node.full_path },
  })
}
