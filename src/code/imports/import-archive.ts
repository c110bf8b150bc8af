import { Type } from 'typebox'
import { ArchiveRefused } from '#code/archives/errors.ts'
import { UPLOADS } from '#code/archives/names.ts'
import { allParts } from '#code/archives/parts/all.ts'
import {
  bundleIn,
  peekProject,
  rowsOf,
  unpackArchive,
  type UnpackedObject,
} from '#code/archives/unpack-archive.ts'
import { giveObjects } from '#code/lfs/share-objects.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { refusalOf } from '#platform/db/errors.ts'
import type { Author } from '#platform/db/transaction.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import type { StoredFile } from '#platform/files/files.ts'
import { Invalid } from '#platform/refusals.ts'
import { assertRoom, NoRoomForUploads } from '#planning/uploads/room.ts'
import { ImportRefused } from './errors.ts'
import { fetchBundle } from './fetch-source.ts'
import { runImport } from './run-import.ts'
import { endImport, type OpenImport } from './import-row.ts'
import { takeOver } from './take-over.ts'

/** Fills a new project from an archive. */
export const importArchive = defineTask(
  'projects/import-archive',
  'long',
  Type.Object({ project_id: Type.Integer() }),
  ({ project_id }, job) =>
    withLease(job, `import into project ${project_id}`, ({ signal }) =>
      runImport(project_id, job, signal, readArchive),
    ),
)

async function readArchive(found: OpenImport, job: JobContext, signal: AbortSignal): Promise<void> {
  if (found.author_id === null || found.author === null)
    throw new ImportRefused('Nobody is left who imports this')
  await using folder = await job.workFolders.open(`import-${found.id}`)
  try {
    const archive = await findArchive(found, job)
    const { default_branch } = await peekProject(await openArchive(archive, job))
    const { path } = folder
    const objects = await unpackArchive(await openArchive(archive, job), {
      folder: path,
      size: archive.size,
      signal,
    })
    await copyBundle(found, job, { folder: path, head: default_branch ?? undefined, signal })
    const { lfsObjects, uploads } = await storeObjects(objects, job, signal)
    const author = { id: found.author_id, username: found.author }
    await writeParts(found, job, { folder: path, lfsObjects, uploads }, author)
  } catch (error) {
    throw meaningOf(error)
  }
}

const isGone = () => new ImportRefused('The archive is gone')

async function findArchive({ file_id }: OpenImport, job: JobContext): Promise<StoredFile> {
  const file = file_id === null ? undefined : await job.files.find(file_id)
  if (file === undefined) throw isGone()
  return file
}

async function openArchive(file: StoredFile, job: JobContext) {
  const bytes = await job.files.read(file)
  if (bytes === undefined) throw isGone()
  return bytes
}

interface Bundled {
  readonly folder: string
  readonly head: string | undefined
  readonly signal: AbortSignal
}

/** Takes over the repository. Running twice does no harm. */
async function copyBundle(
  { id }: OpenImport,
  job: JobContext,
  { folder, head, signal }: Bundled,
): Promise<void> {
  const bundle = await bundleIn(folder)
  if (bundle === undefined) return
  const repositories = job.repositories
  const target = await repositories.ensure({ kind: 'project', project: id }, head)
  const { git } = repositories
  await takeOver(repositories, target, (into) => fetchBundle(bundle, into, { git, signal }), {
    maxBytes: 0,
    signal,
  })
}

/** Files of an archive in the file store. */
interface Contents {
  readonly lfsObjects: readonly StoredFile[]
  /** By the SHA-256 of their bytes. */
  readonly uploads: ReadonlyMap<string, StoredFile>
}

/** Brings objects of Git LFS and uploads into the file store, where those that are there already are found again. */
async function storeObjects(
  objects: readonly UnpackedObject[],
  job: JobContext,
  signal: AbortSignal,
): Promise<Contents> {
  const lfsObjects: StoredFile[] = []
  const uploads = new Map<string, StoredFile>()
  for (const { folder, sha256, size, path } of objects) {
    signal.throwIfAborted()
    const stored = await job.files.storeFile(path, { sha256: Buffer.from(sha256, 'hex'), size })
    if (folder === UPLOADS) uploads.set(sha256, stored)
    else lfsObjects.push(stored)
  }
  return { lfsObjects, uploads }
}

interface Unpacked extends Contents {
  readonly folder: string
}

/** Writes everything else, and the end of the import with it, so that all of it is there or nothing. */
async function writeParts(
  found: OpenImport,
  job: JobContext,
  { folder, lfsObjects, uploads }: Unpacked,
  author: Author,
): Promise<void> {
  await job.transact(async (tx) => {
    await lockParent(tx, found.namespace_id)
    for (const part of allParts()) {
      for await (const rows of rowsOf(part, folder)) await part.write(tx, found, rows, uploads)
    }
    await assertRoom(tx.db, job.settings(), found.namespace_id)
    await giveObjects(tx, found.id, lfsObjects, job.repositories.settings())
    await endImport(tx, found)
  }, author)
}

/** What the archive is to blame for is no fault of this server. */
function meaningOf(error: unknown): unknown {
  if (error instanceof ArchiveRefused) return new ImportRefused(error.message, { cause: error })
  if (error instanceof Invalid) {
    const what = JSON.stringify({ message: error.says, ...error.fields })
    return new ImportRefused(`The archive has what this server refuses: ${what}`, { cause: error })
  }
  if (error instanceof NoRoomForUploads) return new ImportRefused(error.message, { cause: error })
  const kind = refusalOf(error)?.kind
  if (kind === 'taken')
    return new ImportRefused('The archive has a number twice, or the project has it already')
  if (kind === 'unreadable') return new ImportRefused('The archive has values that cannot be read')
  return error
}
