import { lockParent } from '#identity/namespaces/lock.ts'
import type { Files, StoredFile } from '#platform/files/files.ts'
import { within } from '#platform/files/within.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import type { UploadRow } from './entity.ts'
import { safeFileName } from './file-name.ts'
import { assertRoom, NoRoomForUploads, roomIn } from './room.ts'

const MEGABYTE = 1024 * 1024

interface Services {
  readonly db: Db
  readonly files: Files
  readonly settings: () => Settings
}

/**
 * Streams an upload into the file store. Call {@link createUpload} for it in a transaction afterwards.
 * @throws 413 for what is larger than `max_attachment_size`, 507 where the store or the project or group has no room for all of it
 */
export async function storeUpload(
  { db, files, settings }: Services,
  namespaceId: number,
  content: AsyncIterable<Uint8Array>,
): Promise<StoredFile> {
  const limits = settings()
  const room = await roomIn(db, limits, namespaceId)
  const bytes = room === Infinity ? content : within(content, room, () => new NoRoomForUploads(limits))
  return files.store(bytes, { max: limits.max_attachment_size * MEGABYTE })
}

/**
 * Gives a project or group a stored file under a name of its own.
 * @param filename as the client says it
 * @throws 507 where others that came meanwhile have taken the room; 404 when it is gone
 */
export async function createUpload(
  tx: Tx,
  { namespace_id }: { readonly namespace_id: number },
  stored: Pick<StoredFile, 'id' | 'size'>,
  filename: string,
  limits: Settings,
): Promise<Pick<UploadRow, 'id' | 'secret' | 'filename'>> {
  await lockParent(tx, namespace_id)
  const secret = Buffer.from(tx.random.bytes(16))
  const made = await tx.db
    .insertInto('uploads')
    .values({
      namespace_id,
      secret,
      filename: safeFileName(filename),
      file_id: stored.id,
      size: stored.size,
      uploaded_by_id: tx.author?.id ?? null,
      created_at: tx.now,
    })
    .returning(['id', 'filename'])
    .executeTakeFirstOrThrow()
  // The row with the sum is locked by now: of several at once, each sees those before.
  await assertRoom(tx.db, limits, namespace_id)
  record(tx, {
    name: 'upload created',
    namespace: namespace_id,
    target: { type: 'Upload', id: made.id },
    details: { file: made.filename },
  })
  return { ...made, secret: secret.toString('hex') }
}
