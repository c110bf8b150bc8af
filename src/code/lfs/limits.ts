import { Full, TooLarge } from '#platform/refusals.ts'
import type { Settings } from '#platform/settings/definitions.ts'

type LfsLimits = Pick<Settings, 'max_lfs_object_size' | 'max_lfs_project_size'>

const MEGABYTE = 1024 * 1024

/** The largest object, in bytes. */
export const maxObject = ({ max_lfs_object_size }: LfsLimits): number =>
  max_lfs_object_size === 0 ? Number.MAX_SAFE_INTEGER : max_lfs_object_size * MEGABYTE

/** What all objects of a project may take, in bytes. */
export const maxProject = ({ max_lfs_project_size }: LfsLimits): number =>
  max_lfs_project_size === 0 ? Number.MAX_SAFE_INTEGER : max_lfs_project_size * MEGABYTE

export const tooLarge = ({ max_lfs_object_size }: LfsLimits): string =>
  `The object is larger than ${max_lfs_object_size} MB, the maximum on this server.`

export const noRoom = ({ max_lfs_project_size }: LfsLimits): string =>
  `The LFS objects of this project would take more than ${max_lfs_project_size} MB, the maximum on this server.`

/** @param size of one object, in bytes @throws 413 when that is more than it may have */
export function assertSize(limits: LfsLimits, size: number): void {
  if (size > maxObject(limits)) throw new TooLarge(tooLarge(limits))
}

/** @param size what all objects of a project take or would take, in bytes @throws 507 when that is more than they may */
export function assertRoom(limits: LfsLimits, size: number): void {
  if (size > maxProject(limits)) throw new Full(noRoom(limits), undefined)
}
