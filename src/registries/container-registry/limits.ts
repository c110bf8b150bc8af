import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { RegistryError } from '../oci/errors.ts'

type Limits = Pick<Settings, 'container_registry_max_blob_size' | 'container_registry_max_project_size'>

const MEGABYTE = 1024 * 1024

/** The largest blob, in bytes. */
export const maxBlob = ({ container_registry_max_blob_size: most }: Limits): number =>
  most === 0 ? Number.MAX_SAFE_INTEGER : most * MEGABYTE

/** Bytes that the images of a project take. */
export async function imagesSizeOf(db: Db | Tx['db'], projectId: number): Promise<number> {
  const found = await db
    .selectFrom('container_sizes')
    .select('size')
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return found?.size ?? 0
}

/** @param more bytes that would be added @throws 403 when the images of a project would take more than they may */
export async function assertRoom(
  db: Db | Tx['db'],
  limits: Limits,
  projectId: number,
  more = 0,
): Promise<void> {
  const most = limits.container_registry_max_project_size
  if (most > 0 && (await imagesSizeOf(db, projectId)) + more > most * MEGABYTE)
    throw new RegistryError(
      403,
      'DENIED',
      `the images of this project would take more than ${most} MB, the maximum on this server: delete tags that are not needed`,
    )
}
