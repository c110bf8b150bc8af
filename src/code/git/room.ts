import { statfs } from 'node:fs/promises'
import { meaningOfDiskError, StorageFull } from './errors.ts'

const GIGABYTE = 1024 * 1024 * 1024
/** The share of a disk that is left for everything else, and bytes that are enough for that. */
const SHARE = 0.05
const ENOUGH = GIGABYTE

/**
 * Bytes that somebody may add to the disk of a folder. Some are left for everything else: the database may be on the same disk, and
 * stops when it is full.
 * @throws StorageFull when there are none
 */
export async function roomIn(folder: string): Promise<number> {
  const { bsize, blocks, bavail } = await statfs(folder).catch((error: unknown) => {
    throw meaningOfDiskError(error)
  })
  const room = Math.floor(bavail * bsize - Math.min(ENOUGH, blocks * bsize * SHARE))
  if (room <= 0) throw new StorageFull(new Error(`There are ${bavail * bsize} bytes left for ${folder}`))
  return room
}
