import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GitFailed, meaningOfDiskError } from './errors.ts'
import { KEPT } from './names.ts'
import { objectInfo } from './objects.ts'
import type { Repository } from './repository.ts'
import { syncFolder } from './sync-folder.ts'

/**
 * Keeps an object from being collected by a hidden reference, written as git writes one, without a process. The reference has the name
 * of the object and no other value, so whoever makes it makes the same: it takes no lock, neither against others nor against git
 * packing it.
 * @throws {GitFailed} when there is no such object, 503 when the folder is gone, 507 when there is no room
 */
export async function keepObject(repository: Repository, id: string): Promise<void> {
  if ((await objectInfo(repository, id))?.id !== id)
    throw new GitFailed({
      repository: repository.folder,
      command: 'keep',
      exitCode: null,
      stderr: `no object ${id}`,
    })
  const { folder } = repository
  const kept = join(folder, KEPT)
  // Git's own beginning of such names, so that its housekeeping removes what a crash leaves.
  const temporary = join(folder, 'objects', `tmp_ref_${randomBytes(8).toString('hex')}`)
  try {
    await writeFile(temporary, `${id}\n`, { flag: 'wx', flush: true })
    const isNew = await madeFolder(kept)
    await rename(temporary, join(kept, id))
    await syncFolder(kept)
    if (isNew) await syncFolder(join(folder, 'refs'))
  } catch (error) {
    await rm(temporary, { force: true })
    throw meaningOfDiskError(error)
  }
}

/** Makes a folder in one that is there. @returns whether it is new */
async function madeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
