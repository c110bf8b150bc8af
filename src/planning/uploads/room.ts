import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { Full } from '#platform/refusals.ts'
import type { Settings } from '#platform/settings/definitions.ts'

type Limits = Pick<Settings, 'uploads_max_project_size'>

/** Uploads of a project or group. An archive holds the files of as many. */
export const MOST_UPLOADS = 100_000

const MEGABYTE = 1024 * 1024

/** Bytes that the uploads of a project or group may still take; less than none where they take too many. */
export async function roomIn(
  db: Db | Tx['db'],
  { uploads_max_project_size: most }: Limits,
  namespaceId: number,
): Promise<number> {
  if (most === 0) return Infinity
  const found = await db
    .selectFrom('upload_sizes')
    .select('size')
    .where('namespace_id', '=', namespaceId)
    .executeTakeFirst()
  return most * MEGABYTE - (found?.size ?? 0)
}

/** @throws 507 when the uploads of a project or group are more, or take more, than they may */
export async function assertRoom(db: Db | Tx['db'], limits: Limits, namespaceId: number): Promise<void> {
  if ((await roomIn(db, limits, namespaceId)) < 0) throw new NoRoomForUploads(limits)
  // Empty files take no room.
  const beyond = await db
    .selectFrom('uploads')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .orderBy('created_at')
    .offset(MOST_UPLOADS)
    .limit(1)
    .executeTakeFirst()
  if (beyond !== undefined)
    throw new Full(
      `there are ${MOST_UPLOADS} uploads here, the maximum. Delete some that are not needed.`,
      undefined,
    )
}

/** The uploads of a project or group take all that they may. */
export class NoRoomForUploads extends Full {
  constructor({ uploads_max_project_size: most }: Limits) {
    super(
      `the uploads here would take more than ${most} MB, the maximum on this server. Delete some that are not needed.`,
      undefined,
    )
  }
}
