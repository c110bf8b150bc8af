import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { Full } from '#platform/refusals.ts'
import type { Settings } from '#platform/settings/definitions.ts'

type Limits = Pick<Settings, 'packages_max_project_size'>

const MEGABYTE = 1024 * 1024

/** Bytes that the packages of a project may still take; less than none where they take too many. */
export async function roomIn(
  db: Db | Tx['db'],
  { packages_max_project_size: most }: Limits,
  projectId: number,
): Promise<number> {
  if (most === 0) return Infinity
  const found = await db
    .selectFrom('package_sizes')
    .select('size')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return most * MEGABYTE - (found?.size ?? 0)
}

/** @throws 507 when the packages of a project take more than they may */
export async function assertRoom(db: Db | Tx['db'], limits: Limits, projectId: number): Promise<void> {
  if ((await roomIn(db, limits, projectId)) < 0) throw noRoom(limits)
}

export const noRoom = ({ packages_max_project_size: most }: Limits) =>
  new Full(
    `The packages of this project would take more than ${most} MB, the maximum on this server. Delete some that are not needed.`,
    undefined,
  )
