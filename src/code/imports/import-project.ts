import { Readable } from 'node:stream'
import { ArchiveRefused } from '#code/archives/errors.ts'
import { type ProjectFile, settingsOf } from '#code/archives/project-file.ts'
import { peekProject } from '#code/archives/unpack-archive.ts'
import type { Visibility } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest } from '#platform/refusals.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { openDestination, ownDestination } from '#tenancy/projects/destination.ts'
import type { StoredSettings } from '#tenancy/projects/project-settings.ts'
import { type Requester, requestProject } from '#tenancy/projects/request-project.ts'
import { standardVisibility } from '#tenancy/projects/visibility.ts'
import { importArchive } from './import-archive.ts'
import { scheduleImport } from './import-row.ts'

export interface ImportWishes {
  readonly path: string
  readonly name?: string
  /** The id or path of the group or personal namespace; by default the caller's own. */
  readonly namespace?: string
  /** What the project has instead of what the archive says. */
  readonly overrides?: StoredSettings & {
    readonly description?: string | null
    readonly visibility?: Visibility
  }
}

/** Reads what an uploaded archive says of its project. @throws 400 when it is no archive */
export async function readUpload(data: Buffer): Promise<ProjectFile> {
  try {
    return await peekProject(Readable.from([data]))
  } catch (error) {
    if (error instanceof ArchiveRefused) throw badRequest(`file: ${error.message}`)
    throw error
  }
}

/**
 * Makes a project from an archive, which a job reads.
 * @param archive what it says of its project, and the id of its file.
 * @throws 404 `Namespace Not Found`, 403 where the caller may not make projects, 400 for a name or path that is taken.
 */
export async function importProject(
  tx: Tx,
  requester: Requester,
  archive: { readonly project: ProjectFile; readonly fileId: string },
  { path, name, namespace, overrides = {} }: ImportWishes,
): Promise<{ id: number }> {
  const { viewer, policy } = requester
  const { project, fileId } = archive
  const destination =
    namespace === undefined
      ? await ownDestination(tx, viewer.id)
      : await openDestination(tx, viewer, namespace)
  const rules = { admin: viewer.admin, restricted: policy.restricted_visibility_levels }
  const { id } = await requestProject(tx, requester, {
    ...settingsOf(project),
    description: project.description,
    topics: [...project.topics],
    visibility: standardVisibility(project.visibility, destination.visibility, rules),
    ...overrides,
    name: name ?? path,
    path,
    namespace_id: destination.id,
  })
  const { namespace_id } = await tx.db
    .selectFrom('projects')
    .select('project_namespace_id as namespace_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const source = { kind: 'gitlab_project', file_id: fileId, author_id: viewer.id } as const
  await scheduleImport(tx, { id, namespace_id }, source)
  await enqueue(tx, importArchive, { project_id: id })
  return { id }
}
