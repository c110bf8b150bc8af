import { sql } from 'kysely'
import { levels } from '#platform/access/roles.ts'
import type { Visibility } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { addMember } from '#tenancy/members/add-member.ts'
import { assertPath } from '#identity/namespaces/paths.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { insertNode } from '#identity/namespaces/tree.ts'
import { assignTopics } from '#tenancy/topics/assign-topics.ts'
import { type ExtensionParameters, projectExtensions } from './extension-points.ts'
import { assertFree, assertProjectName } from './names.ts'
import { storable, type StoredSettings } from './project-settings.ts'

export interface NewProject {
  readonly name: string
  readonly path: string
  readonly visibility: Visibility
  /** The group or user namespace that holds it. */
  readonly parentId: number
  readonly description?: string | null
  readonly settings?: StoredSettings
  /** The project's creator, when it is not the author of the transaction. */
  readonly creatorId?: number
  /** The key of the avatar. */
  readonly avatar?: string | null
  /** Names of topics. */
  readonly topics?: readonly string[]
  /** What the request asks of features that extend projects. */
  readonly asked?: ExtensionParameters
}

/**
 * Makes a project; in a user namespace, the user becomes a direct owner.
 * @throws 400 for a name or path that is taken or impossible, 404 when the namespace is gone.
 */
export async function createProject(tx: Tx, project: NewProject): Promise<{ id: number; full_path: string }> {
  assertProjectName(project.name)
  assertPath(project.path, 'project', false)
  const parent = await lockParent(tx, project.parentId)
  await assertFree(tx, parent, project)
  const node = await insertNode(tx, parent, {
    kind: 'project',
    path: project.path,
    name: project.name,
    visibility: project.visibility,
    description: project.description ?? null,
    avatar: project.avatar ?? null,
  })
  const { id, settings } = await tx.db
    .insertInto('projects')
    .values({
      project_namespace_id: node.id,
      creator_id: project.creatorId ?? tx.author?.id ?? null,
      settings: storable(project.settings ?? {}),
      last_activity_at: tx.now,
    })
    .returning(['id', sql<StoredSettings>`settings`.as('settings')])
    .executeTakeFirstOrThrow()
  const owner = await tx.db
    .selectFrom('namespaces')
    .select('owner_id')
    .where('id', '=', parent.id)
    .executeTakeFirstOrThrow()
  if (owner.owner_id !== null) {
    await addMember(tx, { namespaceId: node.id, userId: owner.owner_id, accessLevel: levels.owner })
  }
  if (project.topics) await assignTopics(tx, { id, namespace_id: node.id }, project.topics)
  record(tx, {
    name: 'project created',
    namespace: node.id,
    target: { type: 'Project', id },
    details: { path: node.full_path },
  })
  const { name, visibility, description = null, asked = {} } = project
  const { id: namespace_id, full_path } = node
  const created = { id, namespace_id, name, full_path, description, visibility, settings }
  for (const extension of projectExtensions.entries) await extension.afterCreation?.(tx, created, asked)
  return { id, full_path }
}
