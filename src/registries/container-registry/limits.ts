import { sql } from 'kysely'
import { lockText } from '#platform/db/locks.ts'
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

/** Bytes that the images of a project may take. */
const mostOf = ({ container_registry_max_project_size: most }: Limits): number =>
  most === 0 ? Infinity : most * MEGABYTE

/** @throws 403 when the images of a project take more than they may */
export async function assertRoom(db: Db | Tx['db'], limits: Limits, projectId: number): Promise<void> {
  const most = mostOf(limits)
  if (most < Infinity && (await imagesSizeOf(db, projectId)) > most) throw noRoom(limits)
}

/**
 * Bytes that may still come of a blob. What has come of all blobs that are being sent may take as much again as the images.
 * @param size of what has come of it
 */
export async function roomFor(
  db: Db | Tx['db'],
  limits: Limits,
  projectId: number,
  size = 0,
): Promise<number> {
  const most = mostOf(limits)
  if (most === Infinity) return most
  const images = await imagesSizeOf(db, projectId)
  return Math.min(most - images - size, most - (await uploadsSizeOf(db, projectId)))
}

/** @throws 403 when what has come of all blobs takes more than it may, also by others that come at the same time */
export async function assertUploadsFit(tx: Tx, limits: Limits, projectId: number): Promise<void> {
  const most = mostOf(limits)
  if (most === Infinity) return
  await lockText(tx, `container uploads ${projectId}`)
  if ((await uploadsSizeOf(tx.db, projectId)) > most) throw noRoom(limits)
}

/** Bytes that have come of blobs that are being sent to a project. */
async function uploadsSizeOf(db: Db | Tx['db'], projectId: number): Promise<number> {
  const { size } = await db
    .selectFrom('container_uploads as u')
    .innerJoin('container_repositories as r', 'r.id', 'u.repository_id')
    .select(sql<number>`coalesce(sum(u.size), 0)::bigint`.as('size'))
    .where('r.project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return size
}

export const noRoom = ({ container_registry_max_project_size: most }: Limits) =>
  new RegistryError(
    403,
    'DENIED',
    `the images of this project would take more than ${most} MB, the maximum on this server: delete tags that are not needed`,
  )
