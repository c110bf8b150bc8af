import type { ProjectDoor } from '#access/doors.ts'
import type { WithStoredAvatar } from '#avatars/store-avatar.ts'
import type { Viewer } from '#access/viewer.ts'
import type { Tx } from '#db/transaction.ts'
import { refuseLater } from '#http/later.ts'
import { changesBetween } from '#facts/changes.ts'
import { record } from '#facts/record.ts'
import { forbidden } from '#http/errors.ts'
import { demandPath } from '#namespaces/paths.ts'
import { replant } from '#namespaces/tree.ts'
import { changeVisibility, demandAllowed } from '#namespaces/visibility.ts'
import type { Settings } from '#settings/definitions.ts'
import { assignTopics } from '#topics/assign-topics.ts'
import { archiveProject } from './archive-project.ts'
import { later } from './later.ts'
import type { LockedProject } from './lock-project.ts'
import { demandFree, demandProjectName } from './names.ts'
import type { ProjectChanges } from './parameters.ts'
import { completed, storable } from './settings.ts'
import { changedSettings } from './twins.ts'

/**
 * Changes what is given and leaves the rest. An archived project takes nothing but being unarchived.
 * @throws 403 for changes that need an owner, 400 for values that are taken or cannot be.
 */
export async function updateProject(
  tx: Tx,
  door: ProjectDoor,
  project: LockedProject,
  changes: WithStoredAvatar<ProjectChanges>,
  { viewer, policy }: { readonly viewer: Viewer; readonly policy: Settings },
): Promise<void> {
  refuseLater(changes, later)
  demandRights(door, project, changes)
  const { archived, ...others } = changes
  if (archived !== undefined) await archiveProject(tx, project, archived)
  const { name, path, description, visibility, avatar, tag_list, topics = tag_list, ...settings } = others
  const fields = Object.keys(others)
  if (fields.length === 0) return
  if (visibility !== undefined && visibility !== project.visibility) {
    demandAllowed(visibility, { admin: viewer.admin, restricted: policy.restricted_visibility_levels })
    await changeVisibility(tx, project.namespace_id, visibility)
  }
  await rename(tx, project, { name: name ?? project.name, path: path ?? project.path })
  await tx.db
    .updateTable('namespaces')
    .set({
      updated_at: tx.now,
      ...(description === undefined ? {} : { description }),
      ...(avatar === undefined ? {} : { avatar }),
    })
    .where('id', '=', project.namespace_id)
    .execute()
  const after = changedSettings(project.settings, settings)
  await tx.db
    .updateTable('projects')
    .set({ settings: storable(after) })
    .where('id', '=', project.id)
    .execute()
  if (topics !== undefined) await assignTopics(tx, project, topics)
  await record(tx, {
    name: 'project changed',
    namespace: project.namespace_id,
    target: { type: 'Project', id: project.id },
    details: {
      fields,
      changes: changesBetween(
        { name: project.name, visibility: project.visibility, ...completed(project.settings) },
        { name, visibility, ...after },
      ),
    },
  })
}

/** What would change its place, its readers or all work in it takes an owner; saying what is already so does not. */
function demandRights(
  door: ProjectDoor,
  project: LockedProject,
  changes: WithStoredAvatar<ProjectChanges>,
): void {
  const { archived = project.archived, path = project.path, visibility = project.visibility } = changes
  if (archived !== project.archived && !door.can('archive_project')) throw forbidden()
  if (path !== project.path || visibility !== project.visibility) {
    if (!door.can('admin_project')) throw forbidden()
  }
  const onlyArchiving = Object.keys(changes).every((name) => name === 'archived')
  if (door.standing.archived && !onlyArchiving) throw forbidden()
}

async function rename(
  tx: Tx,
  project: LockedProject,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<void> {
  if (name === project.name && path === project.path) return
  if (name !== project.name) demandProjectName(name)
  if (path !== project.path) demandPath(path, 'project', false)
  const { parent, namespace_id } = project
  await demandFree(tx, parent, { name, path }, namespace_id)
  await replant(tx, namespace_id, { path, name })
  if (path === project.path) return
  await record(tx, {
    name: 'project renamed',
    namespace: namespace_id,
    target: { type: 'Project', id: project.id },
    details: { from: project.full_path, to: `${parent.full_path}/${path}` },
  })
}
