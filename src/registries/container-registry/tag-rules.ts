import { lockParent } from '#identity/namespaces/lock.ts'
import { lockText } from '#platform/db/locks.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid, notFound } from '#platform/refusals.ts'
import { readExpression } from './expressions.ts'
import { MOST_TAG_RULES } from './protection.ts'
import type { Levels, RuleProject } from './repository-rules.ts'

export const tagRulesOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('container_tag_rules')
    .select(['id', 'project_id', 'tag_name_pattern'])
    .select(['minimum_access_level_for_push', 'minimum_access_level_for_delete'])
    .where('project_id', '=', projectId)

/** Makes a rule about tags; without levels, what it matches is immutable. @throws 400 for what is no expression, and past the maximum of its kind */
export async function createTagRule(
  tx: Tx,
  project: RuleProject,
  pattern: string,
  levels: Levels,
): Promise<number> {
  readExpression('tag_name_pattern', pattern)
  assertBoth(levels)
  const isImmutable = levels.minimum_access_level_for_push === null
  await lockParent(tx, project.namespace_id)
  await lockText(tx, `container rules of ${project.id}`)
  const { count } = await tagRulesOf(tx.db, project.id)
    .clearSelect()
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('minimum_access_level_for_push', isImmutable ? 'is' : 'is not', null)
    .executeTakeFirstOrThrow()
  if (count >= MOST_TAG_RULES)
    throw invalid({ base: [`a project has at most ${MOST_TAG_RULES} rules of this kind`] })
  const { id } = await tx.db
    .insertInto('container_tag_rules')
    .values({ project_id: project.id, tag_name_pattern: pattern, ...levels, created_at: tx.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'container rule created',
    namespace: project.namespace_id,
    target: { type: 'ContainerTagRule', id },
    details: { pattern },
  })
  return id
}

interface RuleChanges extends Partial<Levels> {
  readonly tag_name_pattern?: string
}

/** @throws 404 for a rule of another project, 400 for one of immutable tags, which stays as it is */
export async function updateTagRule(
  tx: Tx,
  project: RuleProject,
  id: number,
  changes: RuleChanges,
): Promise<void> {
  if (changes.tag_name_pattern !== undefined) readExpression('tag_name_pattern', changes.tag_name_pattern)
  const row = await tagRulesOf(tx.db, project.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => notFound('Protection Rule'))
  if (row.minimum_access_level_for_push === null)
    throw invalid({ base: ['rules of immutable tags cannot be changed: delete this one'] })
  const { project_id: _, id: __, ...before } = row
  const changed = { ...before, ...changes }
  if (changed.minimum_access_level_for_push === null)
    throw invalid({ base: ['rules of protected tags need both roles'] })
  assertBoth(changed)
  await tx.db.updateTable('container_tag_rules').set(changed).where('id', '=', id).execute()
  record(tx, {
    name: 'container rule updated',
    namespace: project.namespace_id,
    target: { type: 'ContainerTagRule', id },
    details: { pattern: changed.tag_name_pattern },
  })
}

/** @throws 404 for a rule of another project */
export async function deleteTagRule(tx: Tx, project: RuleProject, id: number): Promise<void> {
  const gone = await tx.db
    .deleteFrom('container_tag_rules')
    .where('project_id', '=', project.id)
    .where('id', '=', id)
    .returning('tag_name_pattern as pattern')
    .executeTakeFirstOrThrow(() => notFound('Protection Rule'))
  record(tx, {
    name: 'container rule deleted',
    namespace: project.namespace_id,
    target: { type: 'ContainerTagRule', id },
    details: gone,
  })
}

function assertBoth(levels: {
  readonly minimum_access_level_for_push: string | null
  readonly minimum_access_level_for_delete: string | null
}): void {
  if ((levels.minimum_access_level_for_push === null) !== (levels.minimum_access_level_for_delete === null))
    throw invalid({ base: ['rules of tags need both roles, or neither for immutable tags'] })
}
