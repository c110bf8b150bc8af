import { defined } from '#platform/defined.ts'
import { atLeast } from '#platform/access/access-context.ts'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { WithStoredAvatar } from '#identity/avatars/store-avatar.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden, refusal } from '#platform/refusals.ts'
import { assertPath } from '#identity/namespaces/paths.ts'
import { moveNode } from '#identity/namespaces/tree.ts'
import { changeVisibility, assertAllowed } from '#identity/namespaces/visibility.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { assignTopics } from '#tenancy/topics/assign-topics.ts'
import { archiveProject } from './archive-project.ts'
import { projectExtensions } from './extension-points.ts'
import type { LockedProject } from './lock-project.ts'
import { assertFree, assertProjectName } from './names.ts'
import type { ProjectChanges } from './parameters.ts'
import { completed, type ProjectSettings, storable } from './project-settings.ts'
import { changedSettings } from './aliases.ts'

/**
 * Changes the given attributes and leaves the rest, also of an archived project: programs that keep settings as they should
 * be send them whatever its state.
 * @throws 403 or 400 for changes that need an owner, 400 for values that are taken or impossible.
 */
export async function updateProject(
  tx: Tx,
  authorized: AuthorizedProject,
  project: LockedProject,
  changes: WithStoredAvatar<ProjectChanges>,
  { viewer, policy }: { readonly viewer: Viewer; readonly policy: Settings },
): Promise<void> {
  assertRights(authorized, project, changes)
  const { node } = project
  const { archived, ...others } = changes
  if (archived !== undefined) {
    const { full_path } = node
    await archiveProject(tx, { id: project.id, namespace_id: project.namespace_id, full_path }, archived)
  }
  const { name, path, description, visibility, avatar, tag_list, topics = tag_list, ...settings } = others
  const fields = Object.keys(others)
  if (fields.length === 0) return
  if (visibility !== undefined && visibility !== node.visibility) {
    assertAllowed(visibility, { admin: viewer.admin, restricted: policy.restricted_visibility_levels })
    await changeVisibility(tx, node, visibility)
  }
  await rename(tx, project, { name: name ?? node.name, path: path ?? node.path })
  await tx.db
    .updateTable('namespaces')
    .set(
      defined({
        updated_at: tx.now,
        description,
        avatar,
      }),
    )
    .where('id', '=', project.namespace_id)
    .execute()
  const after = changedSettings(project.settings, settings)
  assertMayRestrict(authorized, completed(project.settings), completed(after))
  if (Object.keys(settings).length > 0) {
    await tx.db
      .updateTable('projects')
      .set({ settings: storable(after) })
      .where('id', '=', project.id)
      .execute()
  }
  if (topics !== undefined) await assignTopics(tx, project, topics)
  record(tx, {
    name: 'project changed',
    namespace: project.namespace_id,
    target: { type: 'Project', id: project.id },
    details: {
      fields,
      changes: changesBetween(
        { name: node.name, visibility: node.visibility, ...completed(project.settings) },
        { name, visibility, ...after },
      ),
    },
  })
  for (const extension of projectExtensions.entries) await extension.afterChange?.(tx, project, changes)
}

/**
 * Only owners may change a project's path, its visibility or whether it is archived; sending a present value is no
 * change.
 */
function assertRights(
  authorized: AuthorizedProject,
  project: LockedProject,
  changes: WithStoredAvatar<ProjectChanges>,
): void {
  const { node } = project
  const { archived = node.archived, path = node.path, visibility = node.visibility } = changes
  if (archived !== node.archived && !authorized.can('archive_project')) throw forbidden()
  if (path !== node.path || visibility !== node.visibility) {
    if (!authorized.can('move_project')) throw forbidden()
  }
}

/** Once the variables of pipelines are left to owners or to nobody, only owners change that. */
function assertMayRestrict(
  { accessContext }: AuthorizedProject,
  { ci_pipeline_variables_minimum_override_role: before }: ProjectSettings,
  { ci_pipeline_variables_minimum_override_role: after }: ProjectSettings,
): void {
  if (before === after || atLeast('owner')(accessContext)) return
  if (after === 'owner')
    throw refusal('Changing the ci_pipeline_variables_minimum_override_role to the owner role is not allowed')
  if (before === 'owner' || before === 'no_one_allowed')
    throw refusal(
      'Changing the restrict_user_defined_variables or ci_pipeline_variables_minimum_override_role is not allowed',
    )
}

async function rename(
  tx: Tx,
  project: LockedProject,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<void> {
  const { node, parent, namespace_id } = project
  if (name === node.name && path === node.path) return
  if (name !== node.name) assertProjectName(name)
  if (path !== node.path) assertPath(path, 'project', false)
  await assertFree(tx, parent, { name, path }, namespace_id)
  await moveNode(tx, node, { path, name })
  if (path === node.path) return
  record(tx, {
    name: 'project renamed',
    namespace: namespace_id,
    target: { type: 'Project', id: project.id },
    details: { from: node.full_path, to: `${parent.full_path}/${path}` },
  })
}
