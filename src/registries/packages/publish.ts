import { lockParent } from '#identity/namespaces/lock.ts'
import { lockText } from '#platform/db/locks.ts'
import type { PackageStatus, PackageType } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { refusal } from '#platform/refusals.ts'
import type { StoredPackageFile } from './store-package-file.ts'

/** The project that publishes. */
interface Place {
  readonly id: number
  readonly namespace_id: number
}

export interface PublishedFile {
  readonly type: PackageType
  readonly name: string
  readonly version: string
  readonly fileName: string
  readonly stored: StoredPackageFile
  /** Of the package; undefined leaves it as it is. */
  readonly status: PackageStatus | undefined
  /** The job whose token published it. */
  readonly jobId: number | undefined
  /** The most files of a package; 0 means no limit. */
  readonly mostFiles: number
}

interface Found {
  readonly id: number
  readonly isNew: boolean
}

/**
 * Adds a stored file to a package, and makes the package if it is not there. Formats have checked the names.
 * @returns the id of the file
 * @throws 404 when the project is gone, 400 when the package has as many files as it may
 */
export async function publishFile(tx: Tx, project: Place, file: PublishedFile): Promise<number> {
  const { type, name, version, fileName, stored, status, jobId, mostFiles } = file
  await lockParent(tx, project.namespace_id)
  await lockText(tx, `package ${project.id} ${type} ${name} ${version}`)
  const found = await findOrCreate(tx, project, file)
  if (mostFiles > 0 && (await filesIn(tx, found.id)) >= mostFiles)
    throw refusal(`The package has ${mostFiles} files, the maximum on this server. Delete some, or publish another version.`)
  if (!found.isNew)
    await tx.db
      .updateTable('packages')
      .set({ updated_at: tx.now, ...(status !== undefined && { status }) })
      .where('id', '=', found.id)
      .execute()
  const pipelineId = jobId === undefined ? null : await pipelineOf(tx, jobId)
  const { id } = await tx.db
    .insertInto('package_files')
    .values({
      package_id: found.id,
      project_id: project.id,
      file_id: stored.fileId,
      file_name: fileName,
      size: stored.size,
      md5: stored.md5,
      sha1: stored.sha1,
      sha256: stored.sha256,
      pipeline_id: pipelineId,
      created_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (pipelineId !== null)
    await tx.db
      .insertInto('package_pipelines')
      .values({ package_id: found.id, pipeline_id: pipelineId })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  if (found.isNew)
    record(tx, {
      name: 'package published',
      namespace: project.namespace_id,
      target: { type: 'Packages::Package', id: found.id },
      details: { package: `${name}/${version}` },
    })
  return id
}

async function findOrCreate(
  tx: Tx,
  project: Place,
  { type, name, version, status = 'default' }: PublishedFile,
): Promise<Found> {
  const found = await tx.db
    .selectFrom('packages')
    .select('id')
    .where('project_id', '=', project.id)
    .where('package_type', '=', type)
    .where('name', '=', name)
    .where('version', '=', version)
    .executeTakeFirst()
  if (found !== undefined) return { id: found.id, isNew: false }
  const { id } = await tx.db
    .insertInto('packages')
    .values({
      project_id: project.id,
      creator_id: tx.author?.id ?? null,
      name,
      version,
      package_type: type,
      status,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, isNew: true }
}

async function filesIn(tx: Tx, packageId: number): Promise<number> {
  const { count } = await tx.db
    .selectFrom('package_files')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('package_id', '=', packageId)
    .executeTakeFirstOrThrow()
  return count
}

async function pipelineOf(tx: Tx, jobId: number): Promise<number | null> {
  const job = await tx.db
    .selectFrom('ci_jobs')
    .select('pipeline_id')
    .where('id', '=', jobId)
    .executeTakeFirst()
  return job?.pipeline_id ?? null
}
