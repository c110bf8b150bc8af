import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A folder that the operator named cannot be made. The message says what to do. */
export class FolderRefused extends Error {
  override readonly name = 'FolderRefused'
}

/**
 * Makes a folder that the operator named, and those above it. `mkdir` with `recursive` never ends below a folder such as
 * /proc, which is there and denies that there could be others in it.
 *
 * @throws {FolderRefused} where no folder can be
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST' && (await isFolder(path))) return
    if (code !== 'ENOENT') throw error
    const parent = dirname(path)
    if (await isFolder(parent))
      throw new FolderRefused(
        `${path} cannot be made: ${parent} belongs to the system and takes no folders. Choose another folder on a disk ` +
          '(FORGELET_DATA, FORGELET_STORAGES).',
        { cause: error },
      )
    await makeFolder(parent, mode)
    await makeFolder(path, mode)
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}
