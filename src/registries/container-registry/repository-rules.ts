import { lockParent } from '#identity/namespaces/lock.ts'
import { lockText } from '#platform/db/locks.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid, notFound } from '#platform/refusals.ts'
import type { MinimumLevel } from '../protection/minimum-levels.ts'
import { MOST_RULES } from './protection.ts'

/** The roles that a rule asks for; null asks for none. */
export interface Levels {
  readonly minimum_access_level_for_push: MinimumLevel | null
  readonly minimum_access_level_for_delete: MinimumLevel | null
}

/** A project whose rules are changed. */
export interface RuleProject {
  readonly id: number
  readonly namespace_id: number
  readonly full_path: string
}

export const repositoryRulesOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('container_repository_rules')
    .select(['id', 'project_id', 'repository_path_pattern'])
    .select(['minimum_access_level_for_push', 'minimum_access_level_for_delete'])
    .where('project_id', '=', projectId)

/** What a pattern says after the project's path, which rules follow when it changes. @throws 400 when it begins otherwise */
export function withoutProject({ full_path }: Pick<RuleProject, 'full_path'>, pattern: string): string {
  const path = full_path.toLowerCase()
  const rest = pattern.slice(path.length)
  if (!pattern.toLowerCase().startsWith(path) || !/^(?:[/*].*)?$/.test(rest))
    throw invalid({ repository_path_pattern: [`must begin with the path of the project, ${path}`] })
  return rest.toLowerCase()
}

/** @throws 400 for a rule that asks for nothing, or whose pattern is taken; and past the maximum */
export async function createRepositoryRule(
  tx: Tx,
  project: RuleProject,
  pattern: string,
  levels: Levels,
): Promise<number> {
  assertAsks(levels)
  await lockParent(tx, project.namespace_id)
  await lockText(tx, `container rules of ${project.id}`)
  const { count } = await tx.db
    .selectFrom('container_repository_rules')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow()
  if (count >= MOST_RULES) throw invalid({ base: [`a project has at most ${MOST_RULES} rules`] })
  const { id } = await tx.db
    .insertInto('container_repository_rules')
    .values({
      project_id: project.id,
      repository_path_pattern: withoutProject(project, pattern),
      ...levels,
      created_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'container rule created',
    namespace: project.namespace_id,
    target: { type: 'ContainerRepositoryRule', id },
    details: { pattern },
  })
  return id
}

interface RuleChanges extends Partial<Levels> {
  readonly repository_path_pattern?: string
}

/** @throws 404 for a rule of another project, 400 as {@link createRepositoryRule} */
export async function updateRepositoryRule(
  tx: Tx,
  project: RuleProject,
  id: number,
  { repository_path_pattern: pattern, ...levels }: RuleChanges,
): Promise<void> {
  const row = await repositoryRulesOf(tx.db, project.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => notFound('Protection Rule'))
  const changed = {
    repository_path_pattern:
      pattern === undefined ? row.repository_path_pattern : withoutProject(project, pattern),
    minimum_access_level_for_push: row.minimum_access_level_for_push,
    minimum_access_level_for_delete: row.minimum_access_level_for_delete,
    ...levels,
  }
  assertAsks(changed)
  await tx.db.updateTable('container_repository_rules').set(changed).where('id', '=', id).execute()
  record(tx, {
    name: 'container rule updated',
    namespace: project.namespace_id,
    target: { type: 'ContainerRepositoryRule', id },
    details: { pattern: changed.repository_path_pattern },
  })
}

function assertAsks(levels: {
  readonly minimum_access_level_for_push: string | null
  readonly minimum_access_level_for_delete: string | null
}): void {
  if (levels.minimum_access_level_for_push === null && levels.minimum_access_level_for_delete === null)
    throw invalid({ base: ['A rule must have at least a minimum access role for push or delete.'] })
}

/** @throws 404 for a rule of another project */
export async function deleteRepositoryRule(tx: Tx, project: RuleProject, id: number): Promise<void> {
  const gone = await tx.db
    .deleteFrom('container_repository_rules')
    .where('project_id', '=', project.id)
    .where('id', '=', id)
    .returning('repository_path_pattern as pattern')
    .executeTakeFirstOrThrow(() => notFound('Protection Rule'))
  record(tx, {
    name: 'container rule deleted',
    namespace: project.namespace_id,
    target: { type: 'ContainerRepositoryRule', id },
    details: gone,
  })
}
