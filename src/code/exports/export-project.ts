import { Type } from 'typebox'
import { packArchive, type PackedObject } from '#code/archives/pack-archive.ts'
import { describeProject } from '#code/archives/project-file.ts'
import { allObjectsOf } from '#code/lfs/share-objects.ts'
import { uploadedFilesOf } from '#planning/uploads/uploaded-files.ts'
import type { StoredFile } from '#platform/files/files.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'

/** Makes the archive of a project. */
export const exportProject = defineTask(
  'projects/export',
  'long',
  Type.Object({ project_id: Type.Integer() }),
  ({ project_id }, job) =>
    withLease(job, `export project ${project_id}`, ({ signal }) => runExport(project_id, job, signal)),
)

/** How often it is tried before people are told that it failed. */
const TRIES = 5
const MEGABYTE = 1024 * 1024

async function runExport(projectId: number, job: JobContext, signal: AbortSignal): Promise<void> {
  const found = await openExport(job, projectId)
  if (found === undefined) return
  await note(job, projectId, { state: 'started' })
  try {
    const file_id = await storeArchive(found, job, signal)
    await note(job, projectId, { state: 'finished', file_id, finished_at: job.clock.now().toISOString() })
  } catch (error) {
    signal.throwIfAborted()
    if (job.attempt >= TRIES) await note(job, projectId, { state: 'failed' })
    throw error
  }
}

function openExport(job: JobContext, projectId: number) {
  return job.db
    .selectFrom('project_exports as e')
    .innerJoin('projects as p', 'p.id', 'e.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['p.id', 'n.id as namespace_id', 'n.traversal_ids', 'e.description'])
    .where('e.project_id', '=', projectId)
    .where('e.state', 'in', ['queued', 'started'])
    .executeTakeFirst()
}

type OpenExport = NonNullable<Awaited<ReturnType<typeof openExport>>>

/** @returns the id of the file */
async function storeArchive(found: OpenExport, job: JobContext, signal: AbortSignal): Promise<string> {
  const { description, ...project } = found
  const repositories = job.repositories
  const known = await describeProject(job.db, project.id)
  await using folder = await job.workFolders.open(`export-${project.id}`)
  const archive = await packArchive({
    db: job.db,
    project,
    description: description === null ? known : { ...known, description },
    repository: await repositories.ofProject(project.id),
    lfsObjects: (await allObjectsOf(job.db, project.id)).map((file) => packedObject(job, file)),
    uploads: (await uploadedFilesOf(job.db, project.namespace_id)).map((file) => packedObject(job, file)),
    folder: folder.path,
    signal,
  })
  const { max_export_size } = repositories.settings()
  const max = max_export_size === 0 ? Number.MAX_SAFE_INTEGER : max_export_size * MEGABYTE
  const { id } = await job.files.store(archive, { max, mediaType: 'application/gzip' })
  return id
}

function packedObject(job: JobContext, file: StoredFile): PackedObject {
  async function* read(): AsyncGenerator<Buffer> {
    const bytes = await job.files.read(file)
    if (bytes === undefined) throw new Error(`the file ${file.sha256} of a project has lost its bytes`)
    yield* bytes
  }
  return { oid: file.sha256, size: file.size, read }
}

interface Noted {
  readonly state: 'started' | 'finished' | 'failed'
  readonly file_id?: string
  readonly finished_at?: string
}

async function note(job: JobContext, projectId: number, noted: Noted): Promise<void> {
  await job.db.updateTable('project_exports').set(noted).where('project_id', '=', projectId).execute()
}

/** Days for which an archive can be downloaded. */
const KEPT = 7

/** Forgets archives that are old: they hold everything of a project as it once was. */
export const forgetExports = defineTask(
  'projects/forget-exports',
  'short',
  Type.Object({}),
  async (_, job) => {
    const before = new Date(job.clock.now().getTime() - KEPT * 86_400_000).toISOString()
    await job.db
      .deleteFrom('project_exports')
      .where('file_id', 'is not', null)
      .where('finished_at', '<', before)
      .where('state', 'in', ['finished', 'failed'])
      .execute()
  },
)
