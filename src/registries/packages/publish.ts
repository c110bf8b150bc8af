import { lockParent } from '#identity/namespaces/lock.ts'
import { lockText } from '#platform/db/locks.ts'
import type { Json, PackageStatus, PackageType } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { type Refusal, refusal } from '#platform/refusals.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import type { RoleThere } from '../protection/minimum-levels.ts'
import { assertUnprotected } from './protection-rules.ts'
import { assertRoom } from './room.ts'
import type { StoredPackageFile } from './store-package-file.ts'
import { type PackagePlace, titleOf } from './types.ts'

/** Who publishes, and what this server allows. */
export interface Publisher {
  readonly role: RoleThere
  /** The job whose token was sent. */
  readonly jobId: number | undefined
  readonly limits: Pick<
    Settings,
    'packages_max_files' | 'packages_max_project_size' | 'packages_max_versions'
  >
}

/** A version of a package that gets a file. Its format has checked the names. */
export interface PublishedPackage {
  readonly type: PackageType
  readonly name: string
  /** Null for files that belong to no version. */
  readonly version: string | null
  /** Undefined leaves what is there. */
  readonly status?: PackageStatus | undefined
  readonly metadata?: Json | undefined
}

export interface PublishedFile {
  readonly fileName: string
  readonly stored: StoredPackageFile
}

/** What is there when a file comes. */
export interface Publication {
  readonly packageId: number
  /** Whether this made the package. */
  readonly isNew: boolean
}

/** What is there of what somebody publishes. */
interface There {
  readonly package: boolean
  readonly file: boolean
}

interface Duplicates {
  /** Why that is refused; undefined where it is not. */
  readonly refuse?: (there: There) => Promise<Refusal | undefined> | Refusal | undefined
}

/**
 * Adds a stored file to a version of a package, and makes that if it is not there. Two uploads of the same version come one after the other.
 * @returns the ids of the package and the file
 * @throws 403 where a rule protects it, 400 past the maximum of files or versions, 507 past that of the project, 404 when the project is
 * gone, and what `refuse` returns
 */
export async function publishFile(
  tx: Tx,
  project: PackagePlace,
  published: PublishedPackage,
  { fileName, stored }: PublishedFile,
  { role, jobId, limits, refuse }: Publisher & Duplicates,
): Promise<Publication & { readonly fileId: number }> {
  const { type, name } = published
  await lockParent(tx, project.namespace_id)
  await lockText(tx, `package ${project.id} ${type} ${name}`)
  await assertUnprotected(tx, project.id, { name, package_type: type }, role, 'push')
  const found = await findPackageNamed(tx, project.id, published)
  const files = found === undefined ? undefined : await filesIn(tx, found, fileName)
  const refused = await refuse?.({ package: files !== undefined, file: files?.hasThis === true })
  if (refused !== undefined) throw refused
  if (limits.packages_max_files > 0 && (files?.count ?? 0) >= limits.packages_max_files)
    throw refusal(
      `The package has ${limits.packages_max_files} files, the maximum on this server. Delete some, or publish another version.`,
    )
  const packageId = found ?? (await createPackage(tx, project, published, limits))
  if (found !== undefined) await touchPackage(tx, found, published)
  const pipelineId = jobId === undefined ? null : await pipelineOf(tx, jobId)
  const { id: fileId } = await tx.db
    .insertInto('package_files')
    .values({
      package_id: packageId,
      project_id: project.id,
      file_id: stored.fileId,
      file_name: fileName,
      size: stored.size,
      md5: stored.md5,
      sha1: stored.sha1,
      sha256: stored.sha256,
      sha512: stored.sha512 ?? null,
      pipeline_id: pipelineId,
      created_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  // Behind the file, which waits for the files of other packages that come at the same time.
  await assertRoom(tx.db, limits, project.id)
  if (pipelineId !== null)
    await tx.db
      .insertInto('package_pipelines')
      .values({ package_id: packageId, pipeline_id: pipelineId })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  const isNew = found === undefined
  if (isNew)
    record(tx, {
      name: 'package published',
      namespace: project.namespace_id,
      target: { type: 'Packages::Package', id: packageId },
      details: { package: titleOf(published) },
    })
  return { packageId, fileId, isNew }
}

async function findPackageNamed(
  tx: Tx,
  projectId: number,
  { type, name, version }: PublishedPackage,
): Promise<number | undefined> {
  const found = await tx.db
    .selectFrom('packages')
    .select('id')
    .where('project_id', '=', projectId)
    .where('package_type', '=', type)
    .where('name', '=', name)
    .where('version', 'is not distinct from', version)
    .executeTakeFirst()
  return found?.id
}

async function createPackage(
  tx: Tx,
  project: PackagePlace,
  { type, name, version, status = 'default', metadata }: PublishedPackage,
  { packages_max_versions: most }: Publisher['limits'],
): Promise<number> {
  const { count } = await tx.db
    .selectFrom('packages')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('project_id', '=', project.id)
    .where('package_type', '=', type)
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  if (most > 0 && count >= most)
    throw refusal(`The package has ${most} versions, the maximum on this server. Delete some.`)
  const { id } = await tx.db
    .insertInto('packages')
    .values({
      project_id: project.id,
      creator_id: tx.author?.id ?? null,
      name,
      version,
      package_type: type,
      status,
      metadata: metadata === undefined ? null : JSON.stringify(metadata),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const touchPackage = (tx: Tx, id: number, { status, metadata }: PublishedPackage) =>
  tx.db
    .updateTable('packages')
    .set({
      updated_at: tx.now,
      ...(status !== undefined && { status }),
      ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
    })
    .where('id', '=', id)
    .execute()

async function filesIn(
  tx: Tx,
  packageId: number,
  fileName: string,
): Promise<{ readonly count: number; readonly hasThis: boolean }> {
  const { count, same } = await tx.db
    .selectFrom('package_files')
    .select((q) => [
      q.fn.countAll<number>().as('count'),
      q.fn.countAll<number>().filterWhere('file_name', '=', fileName).as('same'),
    ])
    .where('package_id', '=', packageId)
    .executeTakeFirstOrThrow()
  return { count, hasThis: same > 0 }
}

async function pipelineOf(tx: Tx, jobId: number): Promise<number | null> {
  const job = await tx.db
    .selectFrom('ci_jobs')
    .select('pipeline_id')
    .where('id', '=', jobId)
    .executeTakeFirst()
  return job?.pipeline_id ?? null
}
