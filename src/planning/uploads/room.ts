import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { Full } from '#platform/refusals.ts'
import type { Settings } from '#platform/settings/definitions.ts'

type Limits = Pick<Settings, 'uploads_max_project_size'>

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

/** @throws 507 when the uploads of a project or group take more than they may */
export async function assertRoom(db: Db | Tx['db'], limits: Limits, namespaceId: number): Promise<void> {
  if ((await roomIn(db, limits, namespaceId)) < 0) throw new NoRoomForUploads(limits)
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
