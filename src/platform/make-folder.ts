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
 * @param choice how the operator chooses it
 * @throws {FolderRefused} where no folder can be
 */
export async function makeFolder(
  path: string,
  mode: number,
  choice = 'FORGELET_DATA, FORGELET_STORAGES',
): Promise<void> {
  if (await isMade(path, mode)) return
  const parent = dirname(path)
  await makeFolder(parent, mode, choice)
  // Another program may have made the parent since: only now does a failure mean that it takes no folders.
  if (await isMade(path, mode)) return
  throw new FolderRefused(
    `${path} cannot be made: ${parent} belongs to the system and takes no folders. Choose another folder on a disk ` +
      `(${choice}).`,
  )
}

/** Makes a folder, unless it is there. @returns false where the one above it is missing, or takes none */
async function isMade(path: string, mode: number): Promise<boolean> {
  try {
    await mkdir(path, { mode })
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST' && (await isFolder(path))) return true
    if (code !== 'ENOENT') throw error
    return false
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}
